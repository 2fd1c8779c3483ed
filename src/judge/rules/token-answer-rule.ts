import { parsedJson } from '../../core/json-text.ts';
import { Blocked, Undecided, unavailable } from '../../core/undecided.ts';
import { memberOf } from '../../provider/json-reader.ts';
import { kindOf } from '../../provider/schemas.ts';
import { isWebPage, type TokenAnswer } from '../../provider/token-answer.ts';
import type { Target } from '../../target/target.ts';
import type { CheckContext, Judge } from '../context.ts';
import { orNull } from '../outcomes.ts';
import { answersForOtherScopes } from '../probes/other-scopes.ts';
import { validAnswers } from '../proofs/valid-request-trial.ts';
import { Violation } from '../violation.ts';
import type { RuleFinding } from './rule.ts';

/** Exchanges that a violation names at most. */
const MAX_EXCHANGES = 8;

/** Decides whether one answer of status 200 to a valid token request keeps a rule. */
type TokenOracle = (answer: TokenAnswer, target: Target) => RuleFinding;

/**
 * Tests a rule by applying its oracle to every token answer. Throws Violation if any of them breaks the rule, with
 * their share; otherwise the first reason that prevented a decision.
 */
export function tokenAnswerRule(oracle: TokenOracle): Judge {
  return (context) =>
    judgeIssuedAnswers(context, async (answers) => {
      const broken: Violation[] = [];
      let blocked: Undecided | null = null;
      for (const answer of answers) {
        const finding = oracle(answer, context.target);
        if (finding === 'kept' || finding instanceof Violation) context.exercised();
        else blocked ??= finding;
        if (finding instanceof Violation) broken.push(finding);
      }
      const [first] = broken;
      const numbers = broken.flatMap(({ breaches }) => breaches.flatMap(({ exchanges }) => exchanges));
      if (first !== undefined)
        throw first.withWords({ after: shareWords(broken.length, answers.length) }, () =>
          numbers.slice(0, MAX_EXCHANGES),
        );
      for (const { how, answer } of await answersForOtherScopes(context)) {
        const finding = oracle(answer, context.target);
        if (finding instanceof Violation) throw finding.withWords({ before: beforeOf(how) });
      }
      if (blocked !== null) throw blocked;
    });
}

/** The beginning of a message about the answer to a request for the scopes in another form. */
export function beforeOf(how: string): string {
  return `in the answer to a token request ${how}, `;
}

/**
 * Judges every answer of status 200 to a valid token request of the run, including those of the second
 * provider's client. Except in `smoke`, these are at least two of the first provider's client. Throws as
 * TokenClient.issued does.
 */
export async function judgeIssuedAnswers(
  context: CheckContext,
  judge: (answers: readonly TokenAnswer[]) => Promise<void>,
): Promise<void> {
  const { tokens, options, target, afterAllChecks } = context;
  const first = await tokens.issued();
  if (options.suite !== 'smoke') {
    await tokens.secondAnswer();
    if (target.otherCredentials !== null) await tokens.secondClientAnswer();
  }
  afterAllChecks(async () => {
    // A lock-out may be answered with status 200 as well.
    const others = validAnswers(tokens).filter(
      (answer) =>
        answer !== first &&
        answer.status === 200 &&
        !isWebPage(answer) &&
        !tokens.history.mayBeLockedOut(answer),
    );
    const passing = first.token === null ? [] : await answersOfPastOutage([first, ...others], context);
    const left = others.filter((answer) => !passing.includes(answer));
    const outage = first.token === null ? [] : await answersOfOutage(left, context);
    await judge([first, ...left.filter((answer) => !outage.includes(answer))]);
    if (passing.length > 0)
      throw new Undecided(
        { kind: 'intermittent', seen: passing.length, attempts: others.length + 1 },
        'token answers held no token in one time span, in which no list was given either, as in an outage; later ones held one',
      );
    if (outage.length > 0)
      throw unavailable(
        200,
        'tokens were issued before, and token requests and list calls are answered alike now, as by a gateway during an outage',
      );
  });
}

/**
 * The answers without a token if they came in one time span, between answers with one, in which list calls gave no list
 * either; none otherwise. Requests another token if the last answer has none.
 */
async function answersOfPastOutage(
  answers: readonly TokenAnswer[],
  { list, tokens }: CheckContext,
): Promise<readonly TokenAnswer[]> {
  const { withoutEnvelope, calls } = list.history;
  const without = answers.filter(isWithoutToken);
  if (without.length === 0 || withoutEnvelope.length === 0) return [];
  const [from, to] = [
    Math.min(...without.map(({ answeredAt }) => answeredAt)),
    Math.max(...without.map(({ requestedAt }) => requestedAt)),
  ];
  const given = answers.filter(({ token }) => token !== null);
  if (given.some(({ requestedAt, answeredAt }) => requestedAt > from && answeredAt < to)) return [];
  if (!given.some(({ requestedAt }) => requestedAt > to)) {
    const next = await orNull(tokens.requestAnother());
    if (next === null || next.token === null) return [];
    given.push(next);
  }
  const exchanges = withoutEnvelope.map(({ exchange }) => exchange);
  const begin = Math.max(...given.filter(({ answeredAt }) => answeredAt < from).map((one) => one.answeredAt));
  const end = Math.min(...given.filter(({ requestedAt }) => requestedAt > to).map((one) => one.requestedAt));
  return calls.mayBeOfOutage(exchanges) && calls.overlap(exchanges, begin, end) ? without : [];
}

function isWithoutToken({ token, tokenElsewhere }: TokenAnswer): boolean {
  return token === null && tokenElsewhere === null;
}

/** The answers without a token that a list call is given now, too. */
async function answersOfOutage(
  answers: readonly TokenAnswer[],
  { list, tokens }: CheckContext,
): Promise<readonly TokenAnswer[]> {
  const without = answers.filter(isWithoutToken);
  const bearer = without.length === 0 ? null : await orNull(tokens.bearer());
  if (bearer === null) return [];
  const { answer } = await list.call({ target: list.path, authorization: `Bearer ${bearer}` });
  if (answer?.status !== 200) return [];
  const now = outlineOf(parsedJson(new TextDecoder().decode(answer.body)));
  return without.filter(({ body }) => body.ok && outlineOf(body.value) === now);
}

/** A value with its strings masked, as answers to token requests are kept. */
function outlineOf(value: unknown): string | undefined {
  return JSON.stringify(value, (_name, one: unknown) =>
    typeof one === 'string' ? '*'.repeat(one.length) : one,
  );
}

/** The share of answers that show a breach, for the end of a sentence; empty if all of them do. */
export function shareWords(breaches: number, answers: number): string {
  return breaches === answers ? '' : ` (${breaches} of ${answers} answers)`;
}

/** A member that is a string; Blocked by token/shape if it is not. */
export function stringMember(answer: TokenAnswer, name: string): string | Blocked {
  const value = memberOf(answer.body, name);
  if (typeof value === 'string') return value;
  return new Blocked('token/shape', `${name} is ${answer.body.ok ? kindOf(value) : 'not in a JSON object'}`);
}
