import type { TokenAnswer } from '../provider/token-answer.ts';
import { isWebPage } from '../provider/token-client.ts';
import type { CheckContext } from './context.ts';
import { type Breach, Violation } from './findings.ts';

/**
 * Judges every answer of status 200 to a right token request of the run, in any check, those of the second provider's
 * client included: what is right once is not right each time, nor for every client. But for `smoke`, at least two of the
 * own client. Throws as TokenClient.issued does.
 */
export async function judgeIssuedAnswers(
  { tokens, options, target, afterOthers }: CheckContext,
  judge: (answers: readonly TokenAnswer[]) => Promise<void>,
): Promise<void> {
  const first = await tokens.issued();
  if (options.suite !== 'smoke') {
    await tokens.second();
    if (target.otherCredentials !== null) await tokens.other();
  }
  afterOthers(() => {
    const all = [...tokens.rightAnswers('own'), ...tokens.rightAnswers('other')];
    return judge([
      first,
      ...all.filter((answer) => answer !== first && answer.status === 200 && !isWebPage(answer)),
    ]);
  });
}

/**
 * Applies a rule to every answer. Throws Violation where any of them breaks it, with the share of those that do; otherwise
 * the first error that the rule threw.
 *
 * @param rule the breach that an answer shows, or null
 */
export function judgeAnswers(
  context: CheckContext,
  rule: (answer: TokenAnswer) => Omit<Breach, 'exchanges'> | null,
): Promise<void> {
  return judgeIssuedAnswers(context, async (answers) => applyRule(context, answers, rule));
}

function applyRule(
  context: CheckContext,
  answers: readonly TokenAnswer[],
  rule: (answer: TokenAnswer) => Omit<Breach, 'exchanges'> | null,
): void {
  const breaches: { readonly breach: Omit<Breach, 'exchanges'>; readonly answer: TokenAnswer }[] = [];
  let obstacle: { readonly error: unknown } | null = null;
  for (const answer of answers) {
    try {
      const breach = rule(answer);
      context.exercised();
      if (breach !== null) breaches.push({ breach, answer });
    } catch (error) {
      obstacle ??= { error };
    }
  }
  const [first] = breaches;
  if (first !== undefined)
    throw new Violation({
      ...first.breach,
      message: `${first.breach.message}${shareOf(breaches.length, answers.length)}`,
      exchanges: breaches.slice(0, MOST_SHOWN).map(({ answer }) => answer.exchange.number),
    });
  if (obstacle !== null) throw obstacle.error;
}

/** Answers that a breach names at most. */
const MOST_SHOWN = 8;

/** The share of answers that show a breach, for the end of a sentence; empty where all of them do. */
export function shareOf(breaches: number, answers: number): string {
  return breaches === answers ? '' : ` (${breaches} of ${answers} answers)`;
}
