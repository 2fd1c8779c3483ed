import { describe, expect, test } from 'vitest';
import { compareRuns, renderDiffMarkdown } from '../../../src/report/diff.ts';
import { renderMarkdown } from '../../../src/report/formats/markdown.ts';
import {
  dataOf,
  FORBIDDEN,
  hostile,
  judged,
  mixed,
  results,
  target,
  violation,
} from '../../support/report/sample.ts';

describe('the Markdown summary', () => {
  const text = renderMarkdown(dataOf(mixed()));

  test('has outcome, table, failures with their curl line, reasons and waivers', () => {
    expect(text).toMatch(/^## Assay: non-conformant\n/u);
    expect(text).toContain('| acme-staging | non-conformant | 2 failed, 1 waived,');
    expect(text).toContain('#### link/offset (clause 2.3)');
    const several = renderMarkdown(dataOf(results([target([judged('token/validity', 'fail')])])));
    expect(several).toContain('#### token/validity (clauses 2.1, 5.3 and 8)');
    expect(text).toContain(`\`\`\`sh\n${violation().curl}\n\`\`\``);
    expect(text).toContain('- needs more than 500 records: `page-size/default`, `page-size/maximum`');
    expect(text).toContain('- `page-size/filled`: agreed, ticket 4711 (until 2027-03-31)');
    expect(text).toContain('seed 42');
  });

  test('does not let text of a provider become markup, a link or a mention', () => {
    const shown = renderMarkdown(dataOf(hostile()));
    expect(shown).not.toMatch(FORBIDDEN);
    const outsideCode = shown.replace(/(`{3,})[\s\S]*?\1/gu, '').replace(/(`+)[^\n]*?\1/gu, '');
    expect(outsideCode).not.toContain('<script');
    const sly = violation({ message: '@acme see https://evil.example [here](x) ![y](z) **b**' });
    const run = renderMarkdown(
      dataOf(results([target([judged('link/offset', 'fail', { violations: [sly] })])])),
    );
    expect(run).not.toMatch(/@acme|https:\/\/evil|\[here\]\(/u);
  });

  test('shows possible links and mentions as code, and omits nothing', () => {
    const message =
      '@@acme, a@b.example, see https://evil.example, www.evil.example, WWW.evil.example and @://x';
    const long = violation({ message });
    const parts = { reason: message, violations: [long] };
    const before = results([target([judged('link/offset', 'pass')])]);
    const after = results([target([judged('link/offset', 'fail', parts)])]);
    const shown =
      '`@@`acme, a`@`b.example, see https`://`evil.example, www`.`evil.example, WWW`.`evil.example and `@://`x';
    expect(renderMarkdown(dataOf(after))).toContain(shown);
    expect(renderMarkdown(dataOf(after))).not.toMatch(/[^\n\x20-\x7e]/u);
    expect(renderDiffMarkdown(compareRuns(before, after))).toContain(shown);
  });

  test('does not close a fence early', () => {
    const sly = violation({ curl: "curl '```\n# heading'", actual: '``' });
    const run = renderMarkdown(
      dataOf(results([target([judged('link/offset', 'fail', { violations: [sly] })])])),
    );
    expect(run).toContain("````sh\ncurl '```\n# heading'\n````");
    expect(run).toContain('```"``"```');
  });

  test('stays short for any number of failures', () => {
    const many = Array.from({ length: 60 }, () => judged('link/offset', 'fail'));
    const run = renderMarkdown(dataOf(results([target(many)])));
    expect(run.match(/^#### /gmu)).toHaveLength(20);
    expect(run).toContain('and 40 further failures; the report has them all');
  });
});
