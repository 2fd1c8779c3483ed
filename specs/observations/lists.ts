import { headerOf } from '../../src/core/exchange.ts';
import type { Json } from '../../src/core/results.ts';
import { trafficOf } from '../../src/core/traffic.ts';
import { observe } from '../../src/judge/observe.ts';
import { grouped, parameterIn, tally, words } from '../../src/judge/tally.ts';
import { sameIdentities } from '../../src/provider/identity.ts';
import type { Page } from '../../src/provider/page.ts';

/** What lists look like. Read from what the checks asked: none costs a request. */
export const listObservers = [
  observe('observe/content-type', 'list', ({ calls, tokenRequests }) => {
    const answered = [...calls, ...tokenRequests].filter(({ status }) => status === 200);
    if (answered.length === 0) return null;
    const types = tally(
      answered.map(({ answer }) => headerOf(answer?.headers ?? [], 'content-type') ?? 'none'),
    );
    const odd = Object.keys(types).filter((type) => !/^application\/([a-z.+-]+\+)?json\b/i.test(type));
    return { value: Object.keys(types).join(', '), attention: odd.length > 0, detail: { types } };
  }),

  observe('observe/page-size-above-maximum', 'list', ({ looks }) => {
    const above = looks
      .at(0)
      .answers()
      .filter(({ target }) => Number(sizeIn(target) ?? 0) > 500);
    if (above.length === 0) return null;
    const outcomes = tally(
      above.map((answer) =>
        answer.kind === 'page'
          ? answer.itemCount > 500
            ? 'more than 500 given'
            : answer.itemCount === 500
              ? 'capped at 500'
              : `${answer.itemCount} given`
          : `refused with ${answer.status}`,
      ),
    );
    return { value: words(outcomes), detail: { outcomes }, exchanges: above.map(({ exchange }) => exchange) };
  }),

  observe('observe/count-without-enabling', 'list', ({ looks }) => {
    const pages = looks
      .at(0)
      .pages()
      .filter(({ target }) => !/count=true/i.test(target));
    if (pages.length === 0) return null;
    const given = pages.filter(({ count }) => count !== undefined);
    return {
      value:
        given.length === 0
          ? 'no count'
          : given.length === pages.length
            ? 'count is given all the same'
            : 'count is given now and then',
      exchanges: given.slice(0, 5).map(({ exchange }) => exchange),
    };
  }),

  observe('observe/null-members', 'list', ({ looks }) => {
    const pages = looks.at(0).pages();
    const nulls = pages.filter((page) => page.nulls.length > 0);
    const names = [...new Set(nulls.flatMap((page) => page.nulls))];
    if (pages.length === 0) return null;
    return {
      value: names.length === 0 ? 'none' : `${names.join(' and ')} given as null`,
      attention: names.length > 0,
      exchanges: nulls.slice(0, 5).map(({ exchange }) => exchange),
    };
  }),

  observe('observe/further-members', 'list', ({ looks }) => {
    const pages = looks.at(0).pages();
    if (pages.length === 0) return null;
    const envelope = [...new Set(pages.flatMap(({ furtherMembers }) => furtherMembers))].sort();
    const items = [...new Set(pages.flatMap(({ furtherItemMembers }) => furtherItemMembers))].sort();
    const parts = [
      ...(envelope.length === 0 ? [] : [`${envelope.join(', ')} in the envelope`]),
      ...(items.length === 0 ? [] : [`${items.join(', ')} in items`]),
    ];
    return { value: parts.join('; ') || 'none', detail: { envelope, items } };
  }),

  observe('observe/order', 'list', ({ looks }) => {
    const view = looks.at(0);
    const [one, other] = [{ count: true }, {}].map((first) =>
      view.pages().find(({ target }) => target === view.targetOf(first)),
    );
    if (one === undefined || other === undefined || one.itemCount === 0) return null;
    return {
      value: sameOrder(one, other) ? 'the same order each time' : 'another order from one answer to the next',
      exchanges: [one.exchange, other.exchange],
    };
  }),

  observe('observe/compression', 'list', ({ calls }) => {
    const answered = calls.filter(({ status }) => status === 200);
    if (answered.length === 0) return null;
    const codings = tally(
      answered.map(({ answer }) => headerOf(answer?.headers ?? [], 'content-encoding') ?? 'none'),
    );
    return { value: Object.keys(codings).join(', '), detail: { codings } };
  }),

  observe('observe/latency', 'list', ({ calls }) => {
    const answered = calls.filter(({ status }) => status === 200);
    if (answered.length === 0) return null;
    const all = trafficOf(answered).latencyMs;
    const bySize: { [size: string]: Json } = {};
    for (const [size, group] of grouped(answered, ({ request }) => sizeIn(request.target) ?? 'default'))
      bySize[size] = trafficOf(group).latencyMs.p50;
    const byPosition: { [skip: string]: Json } = {};
    for (const [skip, group] of grouped(answered, ({ request }) => skipIn(request.target) ?? '0'))
      byPosition[skip] = trafficOf(group).latencyMs.p50;
    return {
      value: `${all.p50} ms (median), ${all.p95} ms (95 %), ${all.p99} ms (99 %), ${all.max} ms (slowest)`,
      detail: { ...all, medianByPageSize: bySize, medianByOffset: byPosition },
    };
  }),
];

function sizeIn(target: string): string | null {
  return parameterIn(target, '$pagesize');
}

function skipIn(target: string): string | null {
  return parameterIn(target, '$skip');
}

function sameOrder(one: Page, other: Page): boolean {
  const length = Math.min(one.itemCount, other.itemCount);
  return sameIdentities(one.identities.subarray(0, length), other.identities.subarray(0, length));
}
