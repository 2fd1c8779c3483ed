import { Blocked } from '../../core/undecided.ts';
import { member } from '../../provider/json-reader.ts';
import { kindOf } from '../../provider/schemas.ts';
import { isWebPage, type TokenAnswer } from '../../provider/token-answer.ts';
import type { Target } from '../../target/target.ts';
import type { CheckContext } from '../context.ts';
import { type Breach, Violation } from '../violation.ts';

/** Exchanges that a violation names at most. */
const MAX_EXCHANGES = 8;

/** What an oracle says of one answer: `kept`, or how it breaks the rule. */
export type TokenFinding = 'kept' | Omit<Breach, 'exchanges'>;

/** Judges one answer of status 200 to a right token request. Pure. Throws Blocked if it cannot judge it. */
export type TokenOracle = (answer: TokenAnswer, target: Target) => TokenFinding;

/** A rule about single token answers. Its probes are the right token requests of the run. */
interface TokenAnswerRule {
  readonly oracle: TokenOracle;
}

/**
 * Tests a rule about single token answers: applies the oracle to each. Throws Violation if any of them breaks
 * the rule, with their share; otherwise the first error that the oracle threw.
 */
export function tokenAnswerRule({ oracle }: TokenAnswerRule): (context: CheckContext) => Promise<void> {
  return (context) =>
    judgeIssuedAnswers(context, async (answers) => {
      const broken: { readonly breach: Omit<Breach, 'exchanges'>; readonly answer: TokenAnswer }[] = [];
      let obstacle: { readonly error: unknown } | null = null;
      for (const answer of answers) {
        try {
          const finding = oracle(answer, context.target);
          context.exercised();
          if (finding !== 'kept') broken.push({ breach: finding, answer });
        } catch (error) {
          obstacle ??= { error };
        }
      }
      const [first] = broken;
      if (first !== undefined)
        throw new Violation({
          ...first.breach,
          message: `${first.breach.message}${shareOf(broken.length, answers.length)}`,
          exchanges: broken.slice(0, MAX_EXCHANGES).map(({ answer }) => answer.exchange.number),
        });
      if (obstacle !== null) throw obstacle.error;
    });
}

/**
 * Judges every answer of status 200 to a right token request of the run, including those of the second
 * provider's client. Except in `smoke`, these are at least two of the first provider's client. Throws as TokenClient.issued does.
 */
export async function judgeIssuedAnswers(
  { tokens, options, target, afterAllChecks }: CheckContext,
  judge: (answers: readonly TokenAnswer[]) => Promise<void>,
): Promise<void> {
  const first = await tokens.issued();
  if (options.suite !== 'smoke') {
    await tokens.second();
    if (target.otherCredentials !== null) await tokens.other();
  }
  afterAllChecks(() => {
    const all = [...tokens.history.rightAnswers('own'), ...tokens.history.rightAnswers('other')];
    return judge([
      first,
      ...all.filter((answer) => answer !== first && answer.status === 200 && !isWebPage(answer)),
    ]);
  });
}

/** The share of answers that show a breach, for the end of a sentence; empty if all of them do. */
export function shareOf(breaches: number, answers: number): string {
  return breaches === answers ? '' : ` (${breaches} of ${answers} answers)`;
}

/** A member that is a string. Throws Blocked by token/shape if it is not. */
export function stringMember(answer: TokenAnswer, name: string): string {
  const value = answer.body.ok ? member(answer.body.value, name) : undefined;
  if (typeof value === 'string') return value;
  throw new Blocked('token/shape', `${name} is ${answer.body.ok ? kindOf(value) : 'not in a JSON object'}`);
}
