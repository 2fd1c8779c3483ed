import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { gatherEvidence } from '../../../src/report/evidence/exchange-views.ts';
import { renderHtml } from '../../../src/report/formats/html.tsx';
import { entry, evidence } from '../../support/report/evidence-sample.ts';
import {
  dataOf,
  FORBIDDEN,
  hostile,
  judged,
  mixed,
  observed,
  results,
  target,
  violation,
} from '../../support/report/sample.ts';

describe('report.html', async () => {
  const page = await renderHtml(dataOf(mixed()));

  test('is one page that loads nothing and runs only its own script', () => {
    expect(page.startsWith('<!doctype html>\n<html lang="en">')).toBe(true);
    const style = /<style>([\s\S]*?)<\/style>/u.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/u.exec(page)?.[1];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`style-src 'sha256-${hash}'`);
    const script = /<script>([\s\S]*?)<\/script>/u.exec(page)?.[1] ?? '';
    expect(policy).toContain(`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`);
    expect(policy).not.toContain('unsafe');
    expect(page.match(/<script\b/gu)).toHaveLength(1);
    expect(page).not.toMatch(/<(link|img|iframe|object|embed)\b|\bon\w+="|\bstyle=|url\(|@import/u);
  });

  test('shows outcome, failures, proof and inconclusive verdicts in this order', () => {
    const places = [
      '>non-conformant</h1>',
      '<section class="summary"',
      'Failed (2)</h2>',
      'class="message">After 3 pages of 7',
      'Usual causes',
      'How to fix it',
      'curl -sS',
      'Could not be carried out (1)</h2>',
      'Inconclusive (2)</h2>',
      'Waived failures (1)</h2>',
      '>Requirements</h2>',
      'Observations without a verdict',
      '>Traffic</h2>',
    ].map((text) => page.indexOf(text));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((left, right) => left - right));
  });

  test('has a link in its contents to every section but waived and skipped requirements', () => {
    const [contents = ''] = /<nav class="contents"[\s\S]*?<\/nav>/u.exec(page) ?? [];
    const linked = [...contents.matchAll(/href="#([^"]+)"/gu)]
      .map(([, id]) => id)
      .filter((id) => id !== 'top');
    const sections = [...page.matchAll(/<section id="([^"]+)"/gu)].map(([, id]) => id);
    expect(linked).toEqual(sections.filter((id) => id !== 'waived' && id !== 'skipped'));
  });

  test('offers no curl command where none reproduces the failure', async () => {
    const shown = (curl: string): Promise<string> => {
      const violations = [violation({ curl, exchanges: [] })];
      return renderHtml(dataOf(results([target([judged('link/offset', 'fail', { violations })])])));
    };
    expect(await shown(violation().curl)).toContain('<div class="curl">');
    expect(await shown('')).not.toContain('<div class="curl">');
  });

  test('lists observations that need attention first', () => {
    expect(page.indexOf('observe/transport')).toBeLessThan(page.indexOf('observe/page-size-above-maximum'));
  });

  test('shows hostile text as text', async () => {
    const shown = await renderHtml(dataOf(hostile()));
    expect(shown).not.toMatch(FORBIDDEN);
    expect(shown.match(/<script\b/gu)).toHaveLength(1);
    expect(shown).toContain('&lt;script>alert(1)');
    expect(shown).toContain('\\u001b[2J');
  });

  test('counts and marks linked exchanges, separately for failures and observations', async () => {
    const run = results([
      target([judged('link/offset', 'fail', { violations: [violation({ exchanges: [18, 17] })] })], {
        observations: [observed({ exchanges: [17, 25, 24, 23, 22] })],
      }),
    ]);
    const shown = await renderHtml({
      ...dataOf(run),
      evidence: await gatherEvidence(run, evidence(60)),
    });
    const linked = new Set(
      [...shown.matchAll(/href="#exchange-1-(\d+)"/gu)].map(([, number]) => Number(number)),
    );
    expect([...linked]).toEqual([17, 18, 22, 23, 24, 25]);
    expect(shown).toContain('6 of them cited above');
    const marked = (kind: string): readonly number[] =>
      [...shown.matchAll(new RegExp(`class="exchange ${kind}">.*?id="exchange-1-(\\d+)"`, 'gsu'))].map(
        ([, number]) => Number(number),
      );
    expect([marked('cited'), marked('observed')]).toEqual([
      [17, 18],
      [22, 23, 24, 25],
    ]);
  });

  test('shows on demand the exchanges of a pass, with links', async () => {
    const run = results([target([judged('link/offset', 'pass'), judged('link/query', 'fail')])]);
    const uses = new Map([
      ['acme-staging', { 'link/offset': [[3, 12]] as const, 'link/query': [[20, 20]] as const }],
    ]);
    const shown = await renderHtml({
      ...dataOf(run),
      evidence: await gatherEvidence(run, evidence(60)),
      uses,
    });
    const details = [...shown.matchAll(/<details class="rests-on">(.*?)<\/details>/gsu)].map(
      ([, text]) => text ?? '',
    );
    expect(details).toHaveLength(1);
    expect(details[0]).toContain('12 cases, 10 exchanges');
    const linked = [...(details[0] ?? '').matchAll(/href="#(exchange-1-\d+)"/gu)].map(([, id]) => id ?? '');
    expect(linked.map((id) => Number(id.slice('exchange-1-'.length)))).toEqual([
      3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
    ]);
    for (const id of linked) expect(shown).toContain(`id="${id}"`);
  });

  test('shows the first exchanges of a pass, however many its evidence names', async () => {
    const run = results([target([judged('link/offset', 'pass')])]);
    const spans = [
      [2, 4_000_000_000],
      [9, 8],
    ] as const;
    const uses = new Map([['acme-staging', { 'link/offset': spans }]]);
    const shown = await renderHtml({ ...dataOf(run), uses });
    expect(shown).toContain('3,999,999,999 exchanges');
    expect(shown).toContain('and 3,999,999,987 more');
  });

  test('shows the size of an answer as received, not after redaction', async () => {
    const run = results([
      target([judged('token/scope', 'fail', { violations: [violation({ exchanges: [1] })] })]),
    ]);
    const first = entry(1, '/connect/token', { access_token: '[token-1]' });
    const { answer } = first.exchange;
    if (answer === null) throw new Error('the sample has an answer');
    const received = {
      ...first,
      exchange: { ...first.exchange, answer: { ...answer, bodyBytesOnWire: 618 } },
    };
    const shown = await renderHtml({
      ...dataOf(run),
      evidence: await gatherEvidence(run, [received]),
    });
    expect(shown).toContain('<span>200 OK, application/json, 618 B,');
  });

  test('marks in an answer that proves several failures the member of each failure', async () => {
    const proof = { violations: [violation({ exchanges: [1] })] };
    const run = results([
      target([judged('token/validity', 'fail', proof), judged('token/scope', 'fail', proof)]),
    ]);
    const answer = entry(1, '/connect/token', { expires_in: 60, scope: 'a,b', token_type: 'Bearer' });
    const views = await gatherEvidence(run, [answer]);
    const shown = await renderHtml({ ...dataOf(run), evidence: views });
    const marked = [...shown.matchAll(/<mark>([^<]*)<\/mark>/gu)].map(([, text]) => text?.trim());
    const [validity, scope] = ['&quot;expires_in&quot;: 60,', '&quot;scope&quot;: &quot;a,b&quot;,'];
    // The two cards, and the exchange in the evidence, which belongs to both.
    expect(marked).toEqual([validity, scope, validity, scope]);
  });

  test('renders an empty run', async () => {
    expect(await renderHtml(dataOf(results([])))).toContain('>not carried out</h1>');
    expect(await renderHtml(dataOf(results([target([])])))).toContain('>inconclusive</h1>');
  });
});
