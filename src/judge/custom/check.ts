import type { Arbitrary } from 'fast-check';
import { errorLocation, isThrownByAssay } from '../../core/error-location.ts';
import type { Requirement } from '../../core/requirement.ts';
import type { Check } from '../check.ts';
import { attemptUntilSeenAgain, commonBreaches } from '../confirmation.ts';
import { errorOf } from '../outcomes.ts';
import { Violation } from '../violation.ts';
import type { About, CustomCheck, ListSnapshot, ProviderSnapshot, TokenSnapshot } from './check-types.ts';
import { listSnapshot, tokenSnapshot } from './provider-snapshot.ts';

/** Cases for a property, and how they are drawn. */
export interface Cases<Case> {
  /** How cases are drawn; the run's seed decides which. */
  readonly arbitrary: (fastCheck: typeof import('fast-check')) => Arbitrary<Case>;
  /** Always among the cases, and tried first. */
  readonly examples?: readonly Case[];
  /** Random cases in addition to the examples; 20 unless given; --runs overrides it. */
  readonly runs?: number;
}

const USUAL_RUNS = 20;

/**
 * Declares a custom check, judged once for each list of the target. It passes if all expectations are met and
 * there is at least one; it fails if a breach shows again on a fresh snapshot. Any other exception is an error
 * of the check and never a failure of the provider.
 *
 * @param id `x/` and one or more names in lower case: `x/agents-known`
 * @throws Error for an identifier of another form, or without a rule
 */
export function check(
  id: string,
  about: About,
  judge: (provider: ProviderSnapshot) => Promise<void>,
): CustomCheck {
  expectFunction(id, judge);
  return declared(id, about, 'list', async (context) => {
    let attempt = 0;
    await context.confirm({ atRest: about.atRest ?? true }, ({ snapshot }) =>
      judge({ list: listSnapshot(snapshot, context.exercised), token: tokenSnapshot(context, attempt++) }),
    );
  });
}

/**
 * Declares a check of every list that needs no token endpoint; otherwise as {@link check}.
 *
 * @throws Error for an identifier of another form, or without a rule
 */
export function list(id: string, about: About, judge: (list: ListSnapshot) => Promise<void>): CustomCheck {
  expectFunction(id, judge);
  return check(id, about, ({ list: snapshot }) => judge(snapshot));
}

/**
 * Declares a property of every list: a rule for any request. Cases are drawn from the run's seed; a breach is
 * shrunk to the smallest case that shows it, and confirmed on a fresh snapshot.
 *
 * @throws Error for an identifier of another form, or without a rule
 */
export function property<Case>(
  id: string,
  about: About & Cases<Case>,
  judge: (list: ListSnapshot, value: Case) => Promise<void>,
): CustomCheck {
  expectFunction(id, judge);
  const { arbitrary, examples = [], runs = USUAL_RUNS, atRest = true } = about;
  return declared(id, about, 'list', (context) =>
    context.property<Case>({ sample: id, arbitrary, examples, runs, atRest }, ({ snapshot }, value) =>
      judge(listSnapshot(snapshot, context.exercised), value),
    ),
  );
}

/**
 * Declares a check of the token endpoint, judged once for each target.
 *
 * @throws Error for an identifier of another form, or without a rule
 */
export function token(id: string, about: About, judge: (token: TokenSnapshot) => Promise<void>): CustomCheck {
  expectFunction(id, judge);
  return declared(id, about, 'target', async (context) => {
    const first = await breachIn(() => judge(tokenSnapshot(context, 0)));
    if (first === null) return;
    const tryAgain = async (): Promise<Violation | null> => {
      const again = await breachIn(() => judge(tokenSnapshot(context, 1)));
      const same = again === null ? [] : commonBreaches(first, again);
      return same.length > 0 ? new Violation(same) : null;
    };
    throw await attemptUntilSeenAgain(tryAgain, { most: 1, message: first.message });
  });
}

function declared(
  id: string,
  about: Partial<About> | undefined,
  scope: Check['scope'],
  judge: Check['judge'],
): Check {
  if (!isCustomId(id))
    throw new Error(`name a custom check x/ and words in lower case, such as x/agents-known, not "${id}"`);
  const rule: unknown = about?.rule;
  if (typeof rule !== 'string' || rule.trim() === '')
    throw new Error(
      `the check ${id} has no rule; say in one sentence what the provider must do: { rule: '...' }`,
    );
  const clause: unknown = about?.clause ?? [];
  if (!isTextList(clause))
    throw new Error(`the clause of the check ${id} is no list of texts; write it as ['4.1']`);
  const needs: unknown = about?.needs ?? null;
  if (needs !== null && typeof needs !== 'string')
    throw new Error(`what the check ${id} needs is no text; write it as 'a second page'`);
  const requirement: Requirement = {
    id,
    clause,
    smoke: about?.smoke ?? false,
    rule,
    needs,
    tested: 'By a custom check.',
    breach: rule,
    causes: '',
    fix: '',
  };
  const declaredAt = errorLocation(new Error());
  const dataNeed = requirement.needs ?? 'records for which the check calls expect()';
  return {
    requirement,
    dataNeed,
    scope,
    declaredAt,
    judge: (context) => withPlace(() => judge(context), declaredAt),
  };
}

function expectFunction(id: string, judge: unknown): void {
  if (typeof judge !== 'function')
    throw new Error(`the check ${id} has no function that tests; pass one as the last argument`);
}

/** Adds the source position to an error of the user's code; errors of Assay need none. */
async function withPlace(run: () => Promise<void>, declaredAt: string | null): Promise<void> {
  try {
    await run();
  } catch (error) {
    // A value that is no error has no place of its own.
    if (!(error instanceof Error))
      throw new Error(`${String(error)}${declaredAt === null ? '' : ` (${declaredAt})`}`);
    const place = isThrownByAssay(error) ? null : errorLocation(error);
    if (place === null) throw error;
    throw new Error(`${error.message} (${place})`, { cause: error });
  }
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isCustomId(id: string): id is `x/${string}` {
  return /^x(\/[a-z0-9]+(-[a-z0-9]+)*)+$/u.test(id);
}

async function breachIn(run: () => Promise<void>): Promise<Violation | null> {
  const error = await errorOf(run);
  if (error === null || error instanceof Violation) return error;
  throw error;
}
