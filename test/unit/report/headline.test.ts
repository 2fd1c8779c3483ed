import { describe, expect, test } from 'vitest';
import { catalogue } from '../../../specs/catalogue.ts';
import { conclusionOf, withAllowance } from '../../../src/core/conclusion.ts';
import type { RequirementId } from '../../../src/core/requirement-id.ts';
import { REFERENCE_NAME, type RequirementResult, type Results } from '../../../src/core/results.ts';
import { renderCertificate } from '../../../src/report/certificate.tsx';
import { renderHtml } from '../../../src/report/formats/html.tsx';
import { renderJunit } from '../../../src/report/formats/junit.ts';
import { renderMarkdown } from '../../../src/report/formats/markdown.ts';
import { renderTerminal } from '../../../src/report/terminal.ts';
import {
  countOutcomes,
  headline,
  REFERENCE_NOTICE,
  shownOutcome,
  stampOf,
} from '../../../src/report/wording/headline.ts';
import { dataOf, judged, results, target, violation } from '../../support/report/sample.ts';

const passed = judged('token/issued', 'pass');

function waived(id: string): RequirementResult {
  const waiver = { requirement: id, reason: 'agreed', until: '2027-03-31', active: true };
  return judged(id, 'fail', { waiver });
}

function blocked(id: string, by: RequirementId): RequirementResult {
  return judged(id, 'inconclusive', { cause: { kind: 'blocked', by, resource: 'printers' } });
}

function short(id: string, records: number): RequirementResult {
  return judged(id, 'inconclusive', { cause: { kind: 'data', needs: 'more', records } });
}

const ownOpen: RequirementResult = { ...judged('link/query', 'inconclusive'), id: 'x/own' };

const needsToken = judged('token/validity', 'inconclusive', {
  resource: null,
  cause: { kind: 'data', needs: 'a new token', records: null },
});

function unselected(id: string): RequirementResult {
  return judged(id, 'skipped', { cause: { kind: 'unselected' } });
}

const one = (...requirements: readonly RequirementResult[]): Results => results([target(requirements)]);
const certify = (...requirements: readonly RequirementResult[]): Results => {
  const run = one(...requirements);
  return { ...run, run: { ...run.run, suite: 'certify' } };
};

describe('the headline', () => {
  test.each([
    ['conformant', 'All 2 requirements passed.', one(passed, judged('link/offset', 'pass'))],
    [
      'conformant',
      'Every tested requirement passed; not tested: token/provider-isolation.',
      one(passed, judged('token/provider-isolation', 'skipped')),
    ],
    [
      'conformant',
      'Every tested requirement passed, except for 2 failures that a waiver covers.',
      one(passed, waived('link/offset'), waived('token/scope')),
    ],
    ['passed in part', '1 of 2 requirements selected; it passed.', one(passed, unselected('link/offset'))],
    [
      'passed in part',
      '0 of 1 requirements selected; every custom check passed.',
      one(unselected('link/offset'), { ...passed, id: 'x/own' }),
    ],
    [
      'passed in part',
      '1 of 2 requirements selected; 1 failure that a waiver covers.',
      one(waived('token/scope'), unselected('link/offset')),
    ],
    [
      'inconclusive',
      'Nothing failed, except for 1 failure that a waiver covers; 1 of 2 requirements needs more records.',
      one(waived('link/offset'), short('link/query', 3)),
    ],
    [
      'inconclusive',
      'Nothing failed; 1 of 2 requirements needs more records.',
      one(passed, short('link/offset', 3)),
    ],
    [
      'inconclusive',
      'Nothing failed; 2 of 3 requirements could not be tested: 1 needs more records, and 1 needs a new token.',
      one(passed, short('link/offset', 3), needsToken),
    ],
    ['inconclusive', 'Nothing failed; 1 of 2 requirements needs a new token.', one(passed, needsToken)],
    [
      'inconclusive',
      'Nothing failed, but 1 of 2 requirements could not be tested.',
      one(passed, short('link/offset', 0)),
    ],
    ['inconclusive', 'Nothing could be tested.', one(short('link/offset', 0))],
    [
      'inconclusive',
      'Nothing could be tested: every requirement was skipped.',
      one(judged('link/offset', 'skipped')),
    ],
    ['inconclusive', 'Nothing could be tested.', one()],
    [
      'non-conformant',
      '1 requirement failed; see the evidence below. 1 of 2 requirements could not be tested, blocked by link/offset.',
      one(judged('link/offset', 'fail'), blocked('link/query', 'link/offset')),
    ],
    [
      'non-conformant',
      '1 requirement failed; see the evidence below. 1 of 2 requirements could not be tested.',
      one(judged('link/offset', 'fail'), short('link/query', 3)),
    ],
    [
      'non-conformant',
      '1 requirement failed; see the evidence below. 1 of 3 requirements could not be carried out. 1 of 3 requirements could not be tested.',
      one(judged('link/offset', 'fail'), judged('list/items', 'error'), short('link/query', 3)),
    ],
    [
      'not carried out',
      'The run could not be carried out, so it says nothing about conformance. Check credentials.scope.',
      one(judged('token/issued', 'error', { cause: { kind: 'configuration', key: 'credentials.scope' } })),
    ],
    [
      'not completed',
      '1 of 3 requirements could not be tested; 1 inconclusive, 1 passed. Check otherCredentials.',
      one(
        passed,
        short('link/query', 3),
        judged('token/provider-isolation', 'error', {
          cause: { kind: 'configuration', key: 'otherCredentials' },
        }),
      ),
    ],
    ['conformant', 'All 2 requirements passed.', certify(passed, judged('link/offset', 'pass'))],
    [
      'not certified',
      '1 of 2 requirements passed; not tested: token/accepted-until-expiry.',
      certify(passed, judged('token/accepted-until-expiry', 'skipped')),
    ],
    [
      'not certified',
      '1 of 2 requirements passed; failed: link/offset.',
      certify(passed, waived('link/offset')),
    ],
    [
      'inconclusive',
      '1 of 2 requirements passed; not tested: link/offset.',
      certify(passed, judged('link/offset', 'inconclusive'), ownOpen),
    ],
    [
      'inconclusive',
      'Nothing failed, but 1 of 2 requirements could not be tested.',
      certify(passed, ownOpen),
    ],
  ] as const)('%s: %s', (stamp, sentence, run) => {
    expect([stampOf(run), headline(run)]).toEqual([stamp, sentence]);
  });

  test('counts waived failures separately in every report', async () => {
    const run = one(judged('authorization/required', 'fail'), waived('link/offset'), waived('token/scope'));
    const terminal = renderTerminal(run, { colour: false, width: 100, folder: null, catalogue });
    expect(terminal).toContain('    1 failed, 2 waived\n');
    expect(renderMarkdown(dataOf(run))).toContain('| 1 failed, 2 waived |');
    const page = await renderHtml(dataOf(run));
    expect(page).toContain('<li class="waived"><span aria-hidden="true">✗</span> 2 waived</li>');
    for (const text of [terminal, renderMarkdown(dataOf(run)).replaceAll('\\', ''), page])
      expect(text).toContain(headline(run));
  });

  test('of a run without a target says that the embedded reference provider was tested', async () => {
    const run = results([target([passed], { name: REFERENCE_NAME })]);
    const terminal = renderTerminal(run, { colour: false, width: 200, folder: null, catalogue });
    const certificate = renderCertificate(certify(passed), { digest: '', keyId: null, prove: null });
    for (const text of [
      terminal,
      renderMarkdown(dataOf(run)),
      renderJunit(dataOf(run)),
      await renderHtml(dataOf(run)),
    ])
      expect(text).toContain(REFERENCE_NOTICE);
    const named = results([target([passed], { name: REFERENCE_NAME, file: 'reference-provider.yaml' })]);
    for (const text of [headline(named), renderJunit(dataOf(named)), certificate])
      expect(text).not.toContain(REFERENCE_NOTICE);
  });

  test('lists only the shell variables of the shown curl lines', async () => {
    const curl = 'curl "client_secret=$CLIENT_SECRET"';
    const hidden = { ...waived('token/scope'), violations: [violation({ curl })] };
    const run = one(judged('link/offset', 'fail'), hidden);
    const terminal = renderTerminal(run, { colour: false, width: 100, folder: null, catalogue });
    expect(terminal).toContain('The curl command reads TOKEN from your shell.');
    const page = await renderHtml(dataOf(run));
    expect(page.indexOf('The curl command reads TOKEN from')).toBeLessThan(page.indexOf('id="waived"'));
    expect(page.indexOf('The curl command reads CLIENT_SECRET from')).toBeGreaterThan(
      page.indexOf('id="waived"'),
    );
  });
});

const skipped = judged('token/scope', 'skipped', {
  cause: { kind: 'unconfigured', key: 'otherCredentials' },
});

test.each([
  ['full', [passed, skipped], { words: 'conformant', style: 'conformant' }],
  ['certify', [passed], { words: 'conformant', style: 'conformant' }],
  ['certify', [passed, skipped], { words: 'not certified', style: 'inconclusive' }],
  ['smoke', [passed, unselected('token/scope')], { words: 'passed in part (1 of 2)', style: 'conformant' }],
  [
    'smoke',
    [judged('token/issued', 'fail'), unselected('token/scope')],
    { words: 'non-conformant', style: 'non-conformant' },
  ],
] as const)(
  'in a %s run, a target is conformant only if it was tested in full',
  (suite, requirements, shown) => {
    expect(shownOutcome(target(requirements), suite)).toEqual(shown);
  },
);

test('outcomes are counted, worst first', () => {
  const run = results([target([passed]), target([passed]), target([judged('token/issued', 'fail')])]);
  expect(countOutcomes(run.targets, run.run.suite).map(({ words, count }) => [words, count])).toEqual([
    ['non-conformant', 1],
    ['conformant', 2],
  ]);
});

test('a run says that it succeeds although it is inconclusive, and only then', () => {
  const open = results([target([judged('token/issued', 'inconclusive')], { outcome: 'inconclusive' })]);
  const allowed = { strict: false, allowInconclusive: true };
  const shown = (run: Results): string => headline(withAllowance(run, conclusionOf(run), allowed));
  expect(shown(open)).toContain('--allow-inconclusive');
  expect(shown(results([target([passed])]))).not.toContain('--allow-inconclusive');
  expect(headline(open)).not.toContain('--allow-inconclusive');
});

test.each([
  [{ accepted: 2, new: 0, stale: 0 }, '2 known failures accepted.'],
  [{ accepted: 1, new: 3, stale: 1 }, '1 known failure accepted, 3 new and 1 that does not occur any more.'],
  [
    { accepted: 0, new: 2, stale: 1, newIn: ['link/offset', 'link/query'], staleIn: ['token/type'] },
    '0 known failures accepted, 2 new (link/offset, link/query) and 1 that does not occur any more (token/type).',
  ],
])('a baseline is named with what it accepts: %o', (counts, words) => {
  const run = results([target([judged('token/issued', 'fail')])], {
    baseline: { run: 'earlier', ...counts },
  });
  expect(headline(run)).toContain(`Against the baseline: ${words}`);
});

test('targets that were tested in part are distinguished from those that could not be tested', () => {
  const broken = judged('link/query', 'error');
  const of = (...some: readonly RequirementResult[]): string =>
    headline(results([target([passed], { name: 'one' }), target(some, { name: 'two' })]));
  expect(of(broken)).toContain('1 of 2 targets could not be tested.');
  expect(of(passed, broken)).toContain('1 of 2 targets could not be tested in full.');
});
