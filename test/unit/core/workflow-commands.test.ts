import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../specs/catalogue.ts';
import { outputOf } from '../../../src/cli/command.ts';
import { jsonText } from '../../../src/core/json-text.ts';
import { printableLine, withoutWorkflowCommands } from '../../../src/core/visible-text.ts';
import { renderAnnotations } from '../../../src/report/annotations.ts';
import { renderTerminal } from '../../../src/report/terminal.ts';
import { judged, results, target, violation } from '../../support/report/sample.ts';
import { commandsIn } from '../../support/workflow-runner.ts';

const ATTACKS = [
  '::set-output name=x::1',
  '::stop-commands::token',
  '::STOP-COMMANDS::token',
  '  \t::error title=x,file=y::z',
  '\u00a0\u3000\u0085::add-mask::x',
  '\u001b[31m::warning::x',
  '\u001b[1m \u001b[22m::warning::x',
  '##[set-output name=x;]1',
  'name ##[add-path]/tmp of a printer',
  '###[error]x',
  '#######[error]x',
  '##vso[task.setvariable variable=x]1',
  'a\n::set-env name=PATH::/tmp',
  'a\r::set-env name=PATH::/tmp',
  'a\r\n\r\n  ::set-env name=PATH::/tmp',
  '::::set-output name=x::1',
  '::group::::set-output name=x::1',
];

describe('the rules of the runner', () => {
  it('find a command in each of these texts', () => {
    const harmless = ATTACKS.filter((text) => commandsIn(text).length === 0);
    // These two depend on the runner: it may remove colours first, or be Azure Pipelines.
    expect(harmless.filter((text) => !text.includes('\u001b') && !text.startsWith('::::'))).toEqual([]);
  });

  it('find none in similar text', () => {
    expect(commandsIn('http://[::1]:8080/v1 a::b::c\n# ## ### [link](x)\n::unknown::')).toEqual([]);
  });
});

describe('text that is written to a stream', () => {
  it.each(ATTACKS)('contains no command: %j', (text) => {
    const written = withoutWorkflowCommands(text);
    expect(commandsIn(written)).toEqual([]);
    expect(commandsIn(written.replace(/\u001b\[\d*m/g, ''))).toEqual([]);
    expect(commandsIn(printableLine(text))).toEqual([]);
    expect(written.replace(/\\u([0-9a-f]{4})/g, (_, code) => String.fromCharCode(parseInt(code, 16)))).toBe(
      text,
    );
  });

  it.each([
    'http://[::1]:8080/v1/printers',
    'Foo::Bar and std::vector',
    '## Assay: conformant\n### Failed (2)\n- [link](page)',
    '# a comment\n## another',
  ])('is unchanged if it contains none: %j', (text) => {
    expect(withoutWorkflowCommands(text)).toBe(text);
  });

  it('is the same JSON', () => {
    const value = { [ATTACKS.join('')]: [...ATTACKS, '\\##[error]', '\\\\##[error]', '"##[error]'] };
    for (const text of [jsonText(value), JSON.stringify(value)]) {
      const written = withoutWorkflowCommands(text);
      expect(commandsIn(written)).toEqual([]);
      expect(JSON.parse(written)).toEqual(value);
    }
  });

  // Code that bypasses `Output` must escape commands itself.
  it('is written to the process only in these files', () => {
    const source = path.join(import.meta.dirname, '../../../src');
    const writers = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .filter((file) =>
        /\bconsole\.|process\.std(out|err)|\{[^}]*\bstdout\b[^}]*\} = process/.test(
          readFileSync(path.join(source, file), 'utf8'),
        ),
      );
    expect(writers.toSorted()).toEqual([
      'cli/command.ts',
      'cli/main.ts',
      'playwright/hosted-target.ts',
      'playwright/setup.ts',
    ]);
  });

  it('is escaped in every write of a command line, except intended commands', () => {
    const written: string[] = [];
    const output = outputOf({ write: (text) => written.push(text) }, {});
    for (const text of ATTACKS) output.write(text);
    expect(written.flatMap(commandsIn)).toEqual([]);
    output.writeCommands('::error title=Assay::failed\n');
    expect(commandsIn(written.at(-1) ?? '')).toEqual(['error']);
  });
});

describe('a run whose provider sends commands', () => {
  const run = results(
    ATTACKS.map((text, index) =>
      target(
        [
          judged('link/offset', 'fail', {
            violations: [violation({ message: text, expected: text, actual: `${' '.repeat(40)}${text}` })],
          }),
          judged('count/present', 'inconclusive', { reason: text }),
        ],
        { name: `target ${index} ${text}` },
      ),
    ),
  );

  it.each([20, 40, 61, 100])('shows none of them in a terminal report of %i columns', (width) => {
    const written: string[] = [];
    const output = outputOf({ write: (text) => written.push(text) }, {});
    for (const colour of [false, true])
      output.write(renderTerminal(run, { colour, width, folder: null, catalogue }));
    expect(written.flatMap(commandsIn)).toEqual([]);
  });

  it('has no further commands in its annotations', () => {
    const lines = renderAnnotations(run).trimEnd().split('\n');
    expect(lines.map((line) => commandsIn(line))).toEqual(lines.map(() => ['error']));
    for (const line of lines) expect(line).not.toMatch(/##\w*\[/);
  });
});
