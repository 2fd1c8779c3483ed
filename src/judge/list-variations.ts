import type { ListAnswer, Page } from '../provider/page.ts';
import {
  type CallVariation,
  describeRefusal,
  sendTogether,
  type VariationOutcome,
} from './call-variations.ts';
import { expectFirstPage } from './expected-page.ts';
import { estimateLength } from './list-traversals.ts';
import type { Observed, ObserverContext } from './observation.ts';
import { summarizeOutcomes } from './observation-summary.ts';

/** Values of $count whose effect the specification leaves open. */
export const COUNT_FORMS = [
  '$count=TRUE',
  '$count=True',
  '$count=1',
  '$count=yes',
  '$count=',
  '$count=true&$count=false',
] as const;

/** Name of a call that starts at the end of the list; N is its length. */
export const SKIP_AT_END = '$skip=N';

/** Name of a call that starts beyond the end of the list. */
export const SKIP_PAST_END = '$skip=N+1000';

/** Values of $skip that are not offsets. */
export const ODD_SKIPS = ['$skip=-1', '$skip=abc'];

/** Values of $pagesize that are not whole numbers, or ambiguous. */
export const ODD_SIZES = ['$pagesize=2.5', '$pagesize=', '$pagesize=1&$pagesize=1000'];

type Outcomes = ReadonlyMap<string, VariationOutcome>;

type Answered = readonly [name: string, answer: ListAnswer];

/** The outcomes of all variations by name. The first observation that needs them sends the calls. */
export function variationOutcomes(context: ObserverContext): Promise<Outcomes> {
  return context.list.memo.once(askAll, context);
}

async function askAll(context: ObserverContext): Promise<Outcomes> {
  const snapshot = context.snapshots.at(0);
  await expectFirstPage(snapshot, {});
  const calls = callsFor(await estimateLength(snapshot));
  const outcomes = await Promise.all(calls.map((variations) => sendTogether(context, variations)));
  return new Map(outcomes.flat().map((outcome) => [outcome.variation.name, outcome]));
}

/** The calls to a list of that length, each with the variations that it combines. */
function callsFor(total: number): readonly (readonly CallVariation[])[] {
  const [upper, title, one, yes, ...further] = COUNT_FORMS;
  return [
    [withQuery(upper), { name: 'bearer', scheme: 'bearer' }, withQuery('$assay=1')],
    [withQuery(title), { name: 'BEARER', scheme: 'BEARER' }, withQuery('assay=1')],
    [
      withQuery(one),
      { name: 'no Accept', header: ['Accept', null] },
      withQuery(`$skip=${total}`, SKIP_AT_END),
    ],
    [
      withQuery(yes),
      { name: 'Accept: text/html', header: ['Accept', 'text/html'] },
      withQuery(`$skip=${total + 1000}`, SKIP_PAST_END),
    ],
    ...[...further, ...ODD_SKIPS, ...ODD_SIZES].map((text) => [withQuery(text)]),
  ];
}

function withQuery(text: string, name = text): CallVariation {
  return { name, query: text };
}

/** Describes the answers to the variations of those names.
 *
 * @param accepted describes a page */
export async function observeVariations(
  context: ObserverContext,
  names: readonly string[],
  accepted: (page: Page) => string,
): Promise<Observed> {
  return describeAnswers(answersByName(await variationOutcomes(context), names), accepted);
}

/** The answers to the variations of those names. */
export function answersByName(all: Outcomes, names: readonly string[]): readonly Answered[] {
  return names.flatMap((name) => {
    const outcome = all.get(name);
    return outcome === undefined ? [] : [[name, outcome.answer] as const];
  });
}

/** Describes answers: pages by `accepted`, others by their status. A 5xx needs attention. */
export function describeAnswers(answers: readonly Answered[], accepted: (page: Page) => string): Observed {
  const detail: { [name: string]: string } = {};
  for (const [name, answer] of answers)
    detail[name] = answer.kind === 'page' ? accepted(answer) : describeRefusal(answer);
  return {
    value: summarizeOutcomes(detail),
    attention: answers.some(([, { status }]) => status >= 500),
    detail,
    exchanges: [...new Set(answers.map(([, { exchange }]) => exchange))],
  };
}

/** Describes the answer to a call with that Tenant header; null leaves it out. */
export async function observeTenant(context: ObserverContext, tenant: string | null): Promise<Observed> {
  const variation: CallVariation = { name: tenant ?? 'none', header: ['Tenant', tenant] };
  const [outcome] = await sendTogether(context, [variation]);
  if (outcome === undefined) return { value: 'not asked' };
  const { answer } = outcome;
  const given = answer.kind === 'page' && answer.itemCount > 0;
  return {
    value: answer.kind === 'page' ? printRecordCount(answer) : describeRefusal(answer),
    // A provider may have a default tenant, but an unknown tenant must have no records.
    attention: (tenant !== null && given) || answer.status >= 500,
    exchanges: [answer.exchange],
  };
}

/** The number of records of a page, as text. */
export function printRecordCount(page: Page): string {
  return `${page.itemCount} ${page.itemCount === 1 ? 'record' : 'records'}`;
}

/** Further requests to each list, at most, if the provider refuses calls that combine variations. */
export const MAX_FURTHER_REQUESTS = callsFor(0)
  .filter((variations) => variations.length > 1)
  .reduce((calls, variations) => calls + variations.length, 0);
