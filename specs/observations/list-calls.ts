import { askTogether, type Departure, type Outcome, refusalIn } from '../../src/judge/departures.ts';
import { lengthOf, pageOf } from '../../src/judge/evidence.ts';
import { inquire, type ObserverContext, type Seen } from '../../src/judge/observe.ts';
import { outcomesInWords, parameterIn } from '../../src/judge/tally.ts';
import type { ListAnswer, Page } from '../../src/provider/page.ts';

/**
 * List calls that depart from the specified one where it leaves open what comes of it. Departures that a provider is
 * likely to let pass are asked for several at a time.
 */
export const listCallObservers = [
  inquire('observe/scheme-case', 'list', (context) => told(context, ['bearer', 'BEARER'], () => 'accepted')),

  inquire('observe/accept', 'list', (context) =>
    told(context, ['Accept: text/html', 'no Accept'], () => 'the list as JSON'),
  ),

  inquire('observe/unknown-parameter', 'list', (context) =>
    told(context, ['$assay=1', 'assay=1'], () => 'ignored'),
  ),

  inquire('observe/count-value-forms', 'list', (context) =>
    told(context, COUNT_FORMS, (page) => (page.count === undefined ? 'no count' : 'the count')),
  ),

  inquire('observe/skip-beyond-the-end', 'list', (context) =>
    told(context, [AT_THE_END, PAST_THE_END, ...ODD_SKIPS], records),
  ),

  inquire('observe/page-size-invalid', 'list', async (context) => {
    const all = await outcomesOf(context);
    const odd = context.looks
      .at(0)
      .answers()
      .flatMap((answer) => {
        const size = parameterIn(answer.target, '$pagesize');
        return size === null || isPageSize(size) ? [] : [[`$pagesize=${size}`, answer] as const];
      })
      // Not in the order in which they happened to be answered: the same run says the same.
      .toSorted(([, one], [, other]) => one.target.localeCompare(other.target, 'en', { numeric: true }));
    return seen([...odd, ...named(all, ODD_SIZES)], records);
  }),

  inquire('observe/tenant-missing', 'list', (context) =>
    context.target.tenant === null
      ? { value: 'the target file names no tenant, so none is ever sent' }
      : tenant(context, null),
  ),

  inquire('observe/tenant-unknown', 'list', (context) => tenant(context, `assay-${context.options.seed}`)),

  inquire('observe/methods', 'list', async ({ list, target }) => {
    if (!target.probes.methods)
      return { value: 'not tried: the target file does not allow it (probes.methods)' };
    const detail: { [method: string]: string } = {};
    const exchanges: number[] = [];
    let given = false;
    for (const method of ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE']) {
      const exchange = await list.call({ method, authorization: null });
      const status = exchange.answer?.status ?? 0;
      const found = list.recordsIn(exchange);
      given ||= found !== null && status >= 200 && status < 300;
      detail[method] = found === null ? `status ${status}` : `status ${status} with ${found}`;
      exchanges.push(exchange.number);
    }
    return { value: outcomesInWords(detail), attention: given, detail, exchanges };
  }),
];

const COUNT_FORMS = [
  '$count=TRUE',
  '$count=True',
  '$count=1',
  '$count=yes',
  '$count=',
  '$count=true&$count=false',
] as const;
const AT_THE_END = '$skip=N';
const PAST_THE_END = '$skip=N+1000';
const ODD_SKIPS = ['$skip=-1', '$skip=abc'];
const ODD_SIZES = ['$pagesize=2.5', '$pagesize=', '$pagesize=1&$pagesize=1000'];

type Outcomes = ReadonlyMap<string, Outcome>;
type Answered = readonly [name: string, answer: ListAnswer];

/** What came of all departures, asked for by whichever observer comes first. */
function outcomesOf(context: ObserverContext): Promise<Outcomes> {
  return context.list.memo.once(askAll, context);
}

async function askAll(context: ObserverContext): Promise<Outcomes> {
  const view = context.looks.at(0);
  await pageOf(view, {});
  const calls = callsFor(await lengthOf(view));
  const outcomes = await Promise.all(calls.map((departures) => askTogether(context, departures)));
  return new Map(outcomes.flat().map((outcome) => [outcome.departure.name, outcome]));
}

/** The calls to a list of that length, each with the respects in which it departs. */
function callsFor(total: number): readonly (readonly Departure[])[] {
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

/** Calls to each list that are made only where the provider refuses several departures together: all of them. */
export const CALLS_AFTER_REFUSALS = callsFor(0)
  .filter((departures) => departures.length > 1)
  .reduce((calls, departures) => calls + departures.length, 0);

function query(text: string, name = text): Departure {
  return { name, query: text };
}

async function told(
  context: ObserverContext,
  names: readonly string[],
  accepted: (page: Page) => string,
): Promise<Seen> {
  return seen(named(await outcomesOf(context), names), accepted);
}

function named(all: Outcomes, names: readonly string[]): readonly Answered[] {
  return names.flatMap((name) => {
    const outcome = all.get(name);
    return outcome === undefined ? [] : [[name, outcome.answer] as const];
  });
}

function seen(answers: readonly Answered[], accepted: (page: Page) => string): Seen {
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

/** Whether a text is a page size that a provider can be expected to know, above the maximum or not. */
function isPageSize(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) >= 1 && Number(text) < 2 ** 31;
}

async function tenant(context: ObserverContext, name: string | null): Promise<Seen> {
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

function records(page: Page): string {
  return `${page.itemCount} ${page.itemCount === 1 ? 'record' : 'records'}`;
}
