import { expect, test } from 'vitest';
import { isFresh } from '../../../../src/judge/proofs/data-at-rest.ts';
import { identitiesOf } from '../../../../src/provider/identity.ts';
import type { ListClient } from '../../../../src/provider/list-client.ts';
import type { ListAnswer, Page } from '../../../../src/provider/page.ts';

const PATH = '/v1/printers';
const LAST = `${PATH}?$count=true&$skip=2`;

function page(target: string, count: number): Page {
  const identities = identitiesOf(['one', 'two']);
  return { kind: 'page', target, exchange: 7, count, itemCount: 2, identities } as unknown as Page;
}

function refusal(target: string): ListAnswer {
  return { kind: 'refused', status: 404, target, exchange: 8, why: 'the status is 404' } as ListAnswer;
}

/** A list that refuses the page with a further parameter, and answers the first page with one. */
function listWith(first: (target: string) => ListAnswer): ListClient {
  const authorized = async (target: string): Promise<ListAnswer> =>
    target.startsWith(LAST) ? refusal(target) : first(target);
  return { path: PATH, authorized } as unknown as ListClient;
}

test('a page is not fresh if a list that is shorter now refuses it without a cache', async () => {
  const list = listWith((target) => page(target, 2));
  expect(await isFresh(list, [page(LAST, 4)])).toBe(false);
});

test.each([
  ['the first page has the same count', (target: string) => page(target, 4)],
  ['the first page is refused as well, as for any unknown parameter', refusal],
])('a refusal of a further parameter shows nothing if %s', async (_when, first) => {
  expect(await isFresh(listWith(first), [page(LAST, 4)])).toBe(true);
});
