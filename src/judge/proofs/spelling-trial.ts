import type { RequirementId } from '../../core/requirement-id.ts';
import { Blocked } from '../../core/undecided.ts';
import { hasParameter, LIST_PARAMETERS, parametersOf } from '../../provider/link.ts';
import type { ListAnswer, Page } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Violation } from '../violation.ts';

/** A query with encoded names, and the page of the same query with plain ones. */
export interface Compared {
  readonly query: string;
  readonly model: Page;
}

/** Which spelling is requested in turn, encoded or plain: in an order in which each of up to five servers gets both twice. */
const SPELLINGS_IN_TURN = [...'pppeeepepppeeeeeepepp'.repeat(3)];

/** Answers that a violation names at most, besides those compared first. */
const MAX_NAMED = 4;

/**
 * Encoded answers, of 33, that must differ. If the spelling made no difference, the probability that so many differ and none of
 * the 30 plain ones does would be below 1 in 200.
 */
const LEAST_WRONG = 8;

/** The breach with its share if some answers to encoded names differ and all answers to plain ones are alike; null otherwise. */
export async function breachOfSomeAnswers(
  snapshot: Snapshot,
  { query, model }: Compared,
  violation: Violation,
): Promise<Violation | null> {
  const { client } = snapshot;
  const wrong: Page[] = [];
  for (const spelling of SPELLINGS_IN_TURN) {
    const page = await client.authorized(spelling === 'e' ? `${client.path}?${query}` : model.target);
    if (page.kind !== 'page') return null;
    if (STEADY_PARTS.every(([, partOf]) => partOf(page) === partOf(model))) continue;
    if (spelling === 'p') return null;
    wrong.push(page);
  }
  if (wrong.length < LEAST_WRONG) return null;
  const all = SPELLINGS_IN_TURN.length;
  const encoded = SPELLINGS_IN_TURN.filter((spelling) => spelling === 'e').length;
  const after =
    ` (so in ${wrong.length} of ${encoded} answers to encoded names, ` +
    `and in none of ${all - encoded} to plain ones, requested in turn)`;
  return violation.withWords({ after }, (exchanges) => [...exchanges, ...wrong.slice(0, MAX_NAMED)]);
}

/** What two answers to one request have in common, and the requirement that is broken if they have not. */
const STEADY_PARTS: readonly (readonly [RequirementId, (page: Page) => unknown])[] = [
  ['page-size/filled', (page) => (hasPageSize(page) ? page.itemCount : null)],
  ['page-size/default', (page) => (hasPageSize(page) ? null : page.itemCount)],
  ['count/present', ({ count }) => count === undefined],
  ['count/stable', ({ count }) => String(count)],
  ['link/present-when-more', ({ link }) => link === undefined],
  ['link/offset', printLinkParameters],
];

function hasPageSize({ target }: Page): boolean {
  return hasParameter(target, '$pagesize');
}

/** Throws Blocked if the same request is answered in another way. */
export async function expectSteady({ client }: Snapshot, page: ListAnswer): Promise<void> {
  if (page.kind !== 'page') return;
  const again = await client.authorized(page.target);
  if (again.kind !== 'page') return;
  const changed = STEADY_PARTS.find(([, partOf]) => partOf(again) !== partOf(page));
  if (changed === undefined) return;
  if (changed[0] === 'count/stable') for (const one of [page, again]) client.pages.noteCount(one);
  throw new Blocked(changed[0], `GET ${page.target} is answered in different ways`);
}

/** The parameters of a link in one spelling and order, whatever its path; null if there is none. */
export function printLinkParameters({ link }: Page): string | null {
  if (typeof link !== 'string' || !link.includes('?')) return null;
  return parametersOf(link)
    .filter(({ name }) => LIST_PARAMETERS.includes(name))
    .map(({ name, value }) => `${name}=${value}`)
    .sort()
    .join('&');
}
