import { intermittent } from '../../core/undecided.ts';
import { hasParameter } from '../../provider/link.ts';
import type { ListClient } from '../../provider/list-client.ts';
import type { ListAnswer, NoPage, Page } from '../../provider/page.ts';
import { isUndecided } from '../../provider/throttled-answer.ts';
import { type CheckContext, waitFor } from '../context.ts';
import { orNull } from '../optional-answer.ts';
import { allSecondClientPages } from '../probes/second-client.ts';

/** Turns in which the call gives no page, and the first page is given right before and right after it. */
const TURNS = 3;
/** Milliseconds between them: longer in all than most rate limits and restarts last. */
const PAUSE_MS = 2000;

/** Turns with such an answer from which on it is a breach although other answers are pages. */
const MIN_TURNS = 2;
/** Statuses that a limit of requests or an error that passes may have. */
const PASSING: readonly number[] = [403, 500];

/** A call of the second provider's client that gives no page, each time or again and again. */
interface CallWithoutPage {
  readonly answer: NoPage;
  /** What shows that nothing else is the reason, as a clause. */
  readonly proof: string;
  readonly exchanges: readonly number[];
}

/**
 * A call of the second provider's client that gives no page, each time or again and again, although its token is accepted for
 * the first page right before and right after it. A client without the right to list is given no page at all. Null if there
 * is none. Throws Undecided if it was seen once.
 *
 * @param kind whether the call is refused, or answered 200 without a list
 */
export async function findCallWithoutPage(
  context: CheckContext,
  kind: NoPage['kind'],
): Promise<CallWithoutPage | null> {
  const { pages, withoutPage, own } = await allSecondClientPages(context);
  const [first] = pages;
  // Refused pages behind the first one are for traversal/followable, or only refused by their parameters.
  const seen = withoutPage.find(
    (answer) =>
      answer.kind === kind &&
      !isUndecided(answer.status) &&
      (kind === 'no-envelope' || !hasParameter(answer.target, '$skip')),
  );
  if (first === undefined || seen === undefined || own === null) return null;
  const turns = await callInTurns(context, own.at(0).client, [first.target, seen.target, first.target]);
  const isAlike = (answer: ListAnswer | null = null): answer is NoPage =>
    answer?.kind === kind && answer.status === seen.status;
  const isPage = (answer: ListAnswer | null = null): answer is Page => answer?.kind === 'page';
  const alike = turns.flat().filter(isAlike);
  const given = turns.flat().filter(isPage);
  if (alike.length + given.length < turns.flat().length) return null;
  if (turns.every(([before, again, after]) => isPage(before) && isAlike(again) && isPage(after)))
    return {
      answer: seen,
      proof:
        `with a token of the second provider, and ${TURNS} times more over some seconds; GET ${first.target} with that token was ` +
        'answered 200 right before and right after each of these',
      exchanges: exchangesOf(alike.slice(-1), given.slice(-1)),
    };
  if (given.length === 0 || PASSING.includes(seen.status)) return null;
  const share = `${alike.length + 1} of ${turns.flat().length + 1} calls`;
  if (turns.filter((answers) => answers.some(isAlike)).length < MIN_TURNS)
    throw intermittent(
      `GET ${seen.target} with a token of the second provider gave no list, and calls over some seconds did (${share})`,
      turns.flat().length + 1,
      alike.length + 1,
    );
  return {
    answer: seen,
    proof: `with a token of the second provider, as others over some seconds with that token (${share})`,
    exchanges: exchangesOf([seen], [...alike.slice(-1), ...given.slice(-1)]),
  };
}

/** Makes the same calls one after another, in several turns; null for what was not answered. */
async function callInTurns(
  context: CheckContext,
  client: ListClient,
  targets: readonly string[],
): Promise<readonly (readonly (ListAnswer | null)[])[]> {
  const turns: (ListAnswer | null)[][] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    await waitFor(PAUSE_MS, context);
    const answers: (ListAnswer | null)[] = [];
    for (const target of targets) answers.push(await orNull(client.authorized(target)));
    turns.push(answers);
  }
  return turns;
}

function exchangesOf(...answers: readonly (readonly ListAnswer[])[]): readonly number[] {
  return answers.flat().map(({ exchange }) => exchange);
}
