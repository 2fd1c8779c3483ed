import { Undecided, unavailable } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { type CheckContext, waitFor } from '../../src/judge/context.ts';
import {
  blockedByRefusal,
  expectNoOtherSite,
  isAnsweredLikeAnyPath,
} from '../../src/judge/probes/expected-page.ts';
import { allSecondClientPages } from '../../src/judge/probes/second-client.ts';
import { type AcceptedAnswer, repeatAnswer, sharedAnswers } from '../../src/judge/probes/shared-answers.ts';
import { findCallWithoutPage } from '../../src/judge/proofs/second-client-breaches.ts';
import { judgeCases } from '../../src/judge/rules/rule.ts';
import { Violation } from '../../src/judge/violation.ts';
import type { ListClient } from '../../src/provider/list-client.ts';
import type { NoEnvelope } from '../../src/provider/page.ts';

export const listEnvelope = requirement({
  id: 'list/envelope',
  clause: ['2.3', '4.2'],
  smoke: true,
  rule: 'A list answer is one JSON object with an array named items. It may hold more members.',
  tested: `Checks every answer with status 200 to a list call against schemas/list-envelope.schema.json: page sizes
    from 1 to 500, with and without $count, first and linked pages, pages requested by $skip, names spelled with %24,
    and a call of the second provider's client. If all of them are web pages, also requests a path that does not
    exist: if that gives a web page, too, baseUrl is wrong. Answers without a list in one time span only, as in an
    outage, are no breach, nor those to the end of the run if any other path is answered alike. A page size beyond these, or a $skip past the end, may
    also be refused with status 200 and an answer that is not a list.`,
  breach:
    'A bare array, another member name (value, data, Items), items null or missing, or a body that is not JSON.',
  causes: `A serialiser with another naming policy (stock ASP.NET OData writes value, or Items). An empty list written as
    null or left out. An exception while the answer is written, closed as if it were complete. A login page or an
    error page with status 200.`,
  fix: `Name the member items in the serialiser and write an empty list as []. Build the whole answer before the status
    is sent. Give errors an error status.`,
  isAboutAnswers: true,
  judge: async (context) => {
    context.afterAllChecks(() => expectEnvelopeForSecondClient(context));
    try {
      await expectEnvelopes(context);
    } catch (error) {
      if (error instanceof Violation) await expectNoOtherSite(context);
      else if (!(error instanceof Undecided) || error.cause.kind !== 'intermittent') throw error;
      // The other checks show whether it was an outage.
      context.afterAllChecks(() => decideByAllAnswers(context, error));
    }
  },
});

/** Calls whose answer was no list that are repeated at most. */
const MAX_REPEATED = 10;
/** Calls until a list that was given before is given again, and the milliseconds between them. */
const ATTEMPTS = 5;
const PAUSE_MS = 1500;

/**
 * Throws Undecided if an outage explains the answers without a list: they were given in one time span, in which no call was
 * answered with a list, and the same calls are answered with one later. Otherwise throws the breach: what was found, or
 * answers of the whole run that are too far apart for an outage.
 */
async function decideByAllAnswers(context: CheckContext, found: Violation | Undecided): Promise<never> {
  const { list, options } = context;
  const { withoutEnvelope: broken, calls } = list.history;
  const isSpread = !calls.mayBeOfOutage(broken.map(({ exchange }) => exchange));
  if (found instanceof Undecided) throw (isSpread ? breachOfAllAnswers(list) : null) ?? found;
  if (isSpread) throw found;
  // A list that was never given need not be waited for.
  let attempts = options.suite === 'smoke' || calls.answered === broken.length ? 1 : ATTEMPTS;
  for (const target of new Set(broken.slice(-MAX_REPEATED).map((answer) => answer.target)))
    while ((await list.authorized(target)).kind === 'no-envelope') {
      if (--attempts <= 0) throw (await explainedByGateway(context, found)) ?? found;
      await waitFor(PAUSE_MS, context);
    }
  throw new Undecided(
    { kind: 'intermittent', seen: broken.length, attempts: calls.answered },
    `in one time span, as in an outage, and the same calls were answered with a list later: ${found.message}`,
  );
}

/**
 * Undecided if a list was given before, and every path is answered alike now: then a gateway answers in place of the provider.
 * Null otherwise.
 */
async function explainedByGateway(context: CheckContext, { message }: Violation): Promise<Undecided | null> {
  const { withoutEnvelope: broken, calls } = context.list.history;
  if (calls.answered === broken.length || !(await isAnsweredLikeAnyPath(context))) return null;
  return unavailable(
    200,
    `lists were given before, and any path is answered alike now, as by a gateway during an outage: ${message}`,
  );
}

/** The breach that answers of the whole run prove, to calls that the specification describes; null if there is none. */
function breachOfAllAnswers({ history }: ListClient): Violation | null {
  const broken = history.withoutEnvelope.filter(({ target }) => history.isWithin(target));
  const [first, second] = broken;
  if (first === undefined || second === undefined) return null;
  const share = ` (${broken.length} of ${history.calls.answered} answers)`;
  return noEnvelope(first, { share, others: [second.exchange] });
}

async function expectEnvelopes(context: CheckContext): Promise<void> {
  let share = '';
  async function* answers(attempt: CheckContext): AsyncGenerator<AcceptedAnswer> {
    const { snapshot } = attempt;
    const plain = await snapshot.first({});
    if (plain.kind === 'refused') throw blockedByRefusal(plain);
    if (snapshot !== attempt.sharedSnapshot) return yield* sharedAnswers(attempt);
    const all: AcceptedAnswer[] = [];
    for await (const answer of sharedAnswers(attempt)) all.push(answer);
    const broken = all.filter(({ kind }) => kind === 'no-envelope');
    share = ` (${broken.length} of ${all.length} answers)`;
    yield* all;
  }
  await judgeCases(context, { atRest: false, probes: answers, repeat: repeatAnswer }, (answer) =>
    answer.kind === 'page' ? 'kept' : noEnvelope(answer, { share }),
  );
}

/**
 * The second client may have no right to list; but if it is given records, they come in an envelope. If the first
 * client was answered without one as well, an outage may explain both.
 */
async function expectEnvelopeForSecondClient(context: CheckContext): Promise<void> {
  const { noEnvelope: first } = await allSecondClientPages(context);
  const { history } = context.list;
  const isSeenByFirst = history.withoutEnvelope.some(({ target }) => history.isWithin(target));
  const found =
    first === undefined
      ? await noEnvelopeOfSecondClient(context).catch((error: unknown) => {
          // The answers to the first client decide.
          if (isSeenByFirst && error instanceof Undecided) return null;
          throw error;
        })
      : noEnvelope(first, { by: 'with a token of the second provider, ' });
  if (found === null) return;
  if (!isSeenByFirst) throw found;
  await decideByAllAnswers(context, found);
}

/** The breach of a call of the second client that gives no envelope, although its first page is one; null if none is. */
async function noEnvelopeOfSecondClient(context: CheckContext): Promise<Violation | null> {
  const lost = await findCallWithoutPage(context, 'no-envelope');
  if (lost?.answer.kind !== 'no-envelope') return null;
  return noEnvelope(lost.answer, { share: `, ${lost.proof}` });
}

/**
 * @param more.by with whose token, for the start of the sentence
 * @param more.share how many answers break the rule, for its end
 * @param more.others further exchanges that prove it
 */
function noEnvelope(
  { target, why, exchange }: NoEnvelope,
  { by = '', share = '', others = [] }: { by?: string; share?: string; others?: readonly number[] },
): Violation {
  return new Violation({
    // One answer proves a breach, so an answer to any other call confirms it.
    key: 'no envelope',
    message: `${by}the answer to ${target} is not a list envelope: ${why}${share}`,
    expected: 'a JSON object whose items is an array',
    actual: why,
    exchanges: [exchange, ...others],
  });
}
