import { describe, expect, test } from 'vitest';
import { catalogue } from '../../../specs/catalogue.ts';
import type { Results, TargetResult } from '../../../src/core/results.ts';
import { gatherEvidence } from '../../../src/report/evidence/exchange-views.ts';
import {
  brokenTargets,
  DETAILED_TARGETS,
  detailedTargets,
  isOverview,
  MAX_FULL_TARGETS,
  targetsNeedingAttention,
  worstFinding,
} from '../../../src/report/findings.ts';
import { renderHtml } from '../../../src/report/formats/html.tsx';
import { evidence } from '../../support/report/evidence-sample.ts';
import { hostileMany, many } from '../../support/report/many-sample.ts';
import { dataOf, FORBIDDEN, judged, mixed, results, target, violation } from '../../support/report/sample.ts';

function fine(name: string): TargetResult {
  return target([judged('token/issued', 'pass')], { name });
}

function broken(name: string, ids: readonly string[] = ['link/offset']): TargetResult {
  return target(
    ids.map((id) => judged(id, 'fail', { violations: [violation({ message: `${name} breaks ${id}` })] })),
    { name },
  );
}

/** A run of many conformant targets, after some others. */
function run(others: readonly TargetResult[], conformant: number): Results {
  return results([...others, ...Array.from({ length: conformant }, (_none, index) => fine(`fine-${index}`))]);
}

const shown = (of: Results): Promise<string> => renderHtml(dataOf(of));
const cards = (page: string): number => page.match(/<article class="card/gu)?.length ?? 0;

describe('a report of many targets', () => {
  test('is an overview only above the maximum number of full targets', async () => {
    const whole = run([broken('acme')], MAX_FULL_TARGETS - 1);
    const over = run([broken('acme')], MAX_FULL_TARGETS);
    expect([isOverview(whole), isOverview(over)]).toEqual([false, true]);
    expect(await shown(whole)).toContain('Requirements of fine-3');
    expect(await shown(whole)).not.toContain('--target NAME');
    expect(await shown(over)).not.toContain('Requirements of fine-3');
    expect(await shown(over)).toContain('assay report RUN --target NAME --open');
  });

  test('has a row for every target, with its outcome and worst finding', async () => {
    const page = await shown(many());
    const rows = page.match(/<table class="targets stacked">[\s\S]*?<\/table>/gu)?.join('') ?? '';
    for (const { name, outcome } of many().targets) {
      const row = rows.slice(rows.indexOf(`<th scope="row">${name}<div`)).split('</tr>', 1)[0];
      expect(row).toContain(`class="brief outcome ${outcome}"`);
    }
    expect(rows).toContain('The connection was reset');
    expect(rows).toContain('>link/query</a> <div>After 3 pages of 7');
  });

  test('lists targets that need attention first, worst first', () => {
    const of = run(
      [
        target([judged('count/present', 'inconclusive')], { name: 'unclear' }),
        target([judged('count/present', 'error')], { name: 'unreachable' }),
        broken('acme'),
      ],
      30,
    );
    expect(targetsNeedingAttention(of).map(({ name }) => name)).toEqual(['acme', 'unreachable', 'unclear']);
    expect(brokenTargets(of).map(({ name }) => name)).toEqual(['acme']);
    expect(detailedTargets(of).map(({ name }) => name)).toEqual(['acme']);
  });

  test('proves a bounded number of failures, and counts the others', async () => {
    const ids = ['link/offset', 'link/query', 'link/relative', 'count/present', 'count/stable', 'list/items'];
    const others = Array.from({ length: DETAILED_TARGETS + 3 }, (_none, index) =>
      broken(`acme-${index}`, index === 0 ? [...ids, 'list/envelope', 'page-size/filled'] : ['link/offset']),
    );
    const page = await shown(run(others, 30));
    expect(cards(page)).toBe(6 + DETAILED_TARGETS - 1);
    expect(page).toContain(`the first ${DETAILED_TARGETS} of ${others.length} non-conformant targets`);
    expect(page).toContain('>Failed (22)</a>');
    expect(page).toContain('Failed (22)</h2>');
    expect(page).toContain('22 failures of 8 requirements on 15 of 45 targets.');
    expect(page).toContain('5 further failures are not shown with evidence');
    const all = await shown(run([broken('acme', ids)], 30));
    expect(cards(all)).toBe(6);
    expect(all).toContain('of 1 non-conformant target.');
    expect(all).not.toContain('further failure');
  });

  test('states that a run without failures has nothing to prove', async () => {
    const page = await shown(run([], 30));
    expect(page).toContain('None of them failed');
    expect(page).toContain('<summary>30 conformant</summary>');
    expect(cards(page)).toBe(0);
  });

  test('shows a reason that targets share once, with their number', async () => {
    const unclear = Array.from({ length: 30 }, (_none, index) =>
      target([judged('page-size/default', 'inconclusive', { reason: 'needs more than 500 records' })], {
        name: `unclear-${index}`,
      }),
    );
    const page = await shown(results(unclear));
    expect(page.match(/<p class="message">Needs more than 500 records<\/p>/gu)).toHaveLength(1);
    expect(page).toContain('unclear-0: page-size/default');
    expect(page).not.toContain('unclear-12: page-size/default');
    expect(page).toContain('and 18 more');
    expect(page).toContain('Inconclusive (30)</h2>');
  });

  test('contains only the exchanges that its failures cite; every link has a target', async () => {
    const of = run([broken('acme-staging')], 30);
    const page = await renderHtml({
      results: of,
      catalogue,
      evidence: await gatherEvidence(of, evidence(40)),
      prove: null,
    });
    expect(page.match(/id="exchange-1-\d+"/gu)).toEqual(['id="exchange-1-17"', 'id="exchange-1-18"']);
    for (const shownPage of [page, await shown(many())]) {
      const ids = new Set([...shownPage.matchAll(/ id="([^"]+)"/gu)].map(([, id]) => id));
      const links = [...shownPage.matchAll(/href="#([^"]+)"/gu)].map(([, id]) => id);
      expect(links.length).toBeGreaterThan(5);
      expect(links.filter((id) => !ids.has(id))).toEqual([]);
    }
  });

  test('grows little with every target', async () => {
    const size = async (count: number): Promise<number> => (await shown(run([broken('acme')], count))).length;
    expect((await size(1030)) - (await size(30))).toBeLessThan(1000 * 600);
  });

  test('shows hostile text as text', async () => {
    const page = await shown(hostileMany());
    expect(page).not.toMatch(FORBIDDEN);
    expect(page.match(/<script\b/gu)).toHaveLength(1);
    expect(page).toContain('&lt;script>alert(1)');
  });
});

test('the worst finding of a target is an open failure, or a waived one if there is nothing else', () => {
  const [all] = mixed().targets as readonly [TargetResult];
  expect(worstFinding(all)?.id).toBe('link/query');
  const of = (...ids: readonly string[]): TargetResult => ({
    ...all,
    requirements: all.requirements.filter(({ id }) => ids.includes(id)),
  });
  expect(worstFinding(of('page-size/filled', 'page-size/default', 'token/issued'))?.id).toBe(
    'page-size/default',
  );
  expect(worstFinding(of('page-size/filled', 'token/provider-isolation'))?.id).toBe('page-size/filled');
  expect(worstFinding(of('token/issued', 'token/provider-isolation'))).toBeNull();
});

test('the worst failures concern authorization, and page sizes come last', () => {
  const worstOf = (...ids: readonly string[]) =>
    worstFinding(target(ids.map((id) => judged(id, 'fail'))))?.id;
  const all = ['page-size/limit', 'link/offset', 'token/scope', 'token/secret', 'authorization/required'];
  for (let last = all.length; last > 0; last -= 1) expect(worstOf(...all.slice(0, last))).toBe(all[last - 1]);
  expect(worstOf('count/present', 'list/items')).toBe('count/present');
});
