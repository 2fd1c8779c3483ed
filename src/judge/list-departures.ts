import type { ListAnswer, Page } from '../provider/page.ts';
import { askTogether, type Departure, type Outcome, refusalIn } from './departures.ts';
import { lengthOf, pageOf } from './evidence.ts';
import type { ObserverContext, Seen } from './observe.ts';
import { outcomesInWords } from './tally.ts';
export const COUNT_FORMS = [
  '$count=TRUE',
  '$count=True',
  '$count=1',
  '$count=yes',
  '$count=',
  '$count=true&$count=false',
] as const;

export const AT_THE_END = '$skip=N';

export const PAST_THE_END = '$skip=N+1000';

export const ODD_SKIPS = ['$skip=-1', '$skip=abc'];

export const ODD_SIZES = ['$pagesize=2.5', '$pagesize=', '$pagesize=1&$pagesize=1000'];

export type Outcomes = ReadonlyMap<string, Outcome>;

export type Answered = readonly [name: string, answer: ListAnswer];

export const asked = new WeakMap<ObserverContext['list']['shared'], Promise<Outcomes>>();

/** What came of all departures, asked for by whichever observer comes first. */
export function outcomesOf(context: ObserverContext): Promise<Outcomes> {
  const known = asked.get(context.list.shared);
  if (known !== undefined) return known;
  const outcomes = askAll(context);
  asked.set(context.list.shared, outcomes);
  return outcomes;
}

export async function askAll(context: ObserverContext): Promise<Outcomes> {
  const view = context.looks.at(0);
  await pageOf(view, {});
  const calls = callsFor(await lengthOf(view));
  const outcomes = await Promise.all(calls.map((departures) => askTogether(context, departures)));
  return new Map(outcomes.flat().map((outcome) => [outcome.departure.name, outcome]));
}

/** The calls to a list of that length, each with the respects in which it departs. */
export function callsFor(total: number): readonly (readonly Departure[])[] {
  const [upper, title, one, yes, ...further] = COUNT_FORMS;
  return [
    [query(upper), { name: 'bearer', scheme: 'bearer' }, query('$assay=1')],
    [query(title), { name: 'BEARER', scheme: 'BEARER' }, query('assay=1')],
    [query(one), { name: 'no Accept', header: ['Accept', null] }, query(`$skip=${total}`, AT_THE_END)],
    [
      query(yes),
      { name: 'Accept: text/html', header: ['Accept', 'text/html'] },
      query(`$skip=${total + 1000}`, PAST_THE_END),
    ],
    ...[...further, ...ODD_SKIPS, ...ODD_SIZES].map((text) => [query(text)]),
  ];
}

export function query(text: string, name = text): Departure {
  return { name, query: text };
}

export async function told(
  context: ObserverContext,
  names: readonly string[],
  accepted: (page: Page) => string,
): Promise<Seen> {
  return seen(named(await outcomesOf(context), names), accepted);
}

export function named(all: Outcomes, names: readonly string[]): readonly Answered[] {
  return names.flatMap((name) => {
    const outcome = all.get(name);
    return outcome === undefined ? [] : [[name, outcome.answer] as const];
  });
}

export function seen(answers: readonly Answered[], accepted: (page: Page) => string): Seen {
  const detail: { [name: string]: string } = {};
  for (const [name, answer] of answers)
    detail[name] = answer.kind === 'page' ? accepted(answer) : refusalIn(answer);
  return {
    value: outcomesInWords(detail),
    attention: answers.some(([, { status }]) => status >= 500),
    detail,
    exchanges: [...new Set(answers.map(([, { exchange }]) => exchange))],
  };
}

export async function tenant(context: ObserverContext, name: string | null): Promise<Seen> {
  const departure: Departure = { name: name ?? 'none', header: ['Tenant', name] };
  const [outcome] = await askTogether(context, [departure]);
  if (outcome === undefined) return { value: 'not asked' };
  const { answer } = outcome;
  const given = answer.kind === 'page' && answer.itemCount > 0;
  return {
    value: answer.kind === 'page' ? records(answer) : refusalIn(answer),
    // Without a tenant there may be a default one; for an unknown one there can be no records.
    attention: (name !== null && given) || answer.status >= 500,
    exchanges: [answer.exchange],
  };
}

export function records(page: Page): string {
  return `${page.itemCount} ${page.itemCount === 1 ? 'record' : 'records'}`;
}

/** Requests to each list that are sent only if the provider refuses several departures together; all of them. */
export const MAX_FURTHER_REQUESTS = callsFor(0)
  .filter((departures) => departures.length > 1)
  .reduce((calls, departures) => calls + departures.length, 0);
