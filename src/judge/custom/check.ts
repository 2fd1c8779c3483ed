import type { Arbitrary } from 'fast-check';
import { errorLocation, isThrownByAssay } from '../../core/error-location.ts';
import type { Requirement } from '../../core/requirement.ts';
import { Undecided } from '../../core/undecided.ts';
import type { Check } from '../check.ts';
import { Violation } from '../findings.ts';
import type { About, OwnCheck } from './about.ts';
import { listLook } from './list-look.ts';
import type { ListLook, Looks, TokenLook } from './looks.ts';
import { tokenLook } from './token-look.ts';

/** Cases for a property, and how they are drawn. */
export interface Cases<Case> {
  /** How cases are drawn; the run's seed decides which. */
  readonly arbitrary: (fastCheck: typeof import('fast-check')) => Arbitrary<Case>;
  /** Always among the cases, and tried first. */
  readonly examples?: readonly Case[];
  /** Random cases beside the examples; 20 unless given, and --runs wins. */
  readonly runs?: number;
}

const USUAL_RUNS = 20;

/**
 * Declares a check of your own, judged once for each list of the target. It passes where everything expected holds and
 * something was expected; it fails where a breach shows again on a fresh look. Whatever else it throws is an error of the
 * check, which is never held against the provider.
 *
 * @param id `x/` and one or more names in lower case: `x/agents-known`
 * @throws Error for an identifier of another form, or without a rule
 */
export function check(id: string, about: About, judge: (looks: Looks) => Promise<void>): OwnCheck {
  return declared(id, about, 'list', async (context) => {
    let attempt = 0;
    await context.settle({ atRest: about.atRest ?? true }, (view) =>
      judge({ list: listLook(view, context.exercised), token: tokenLook(context, attempt++) }),
    );
  });
}

/**
 * Declares a check of the data of every list: {@link check} for those that need no token of their own.
 *
 * @throws Error for an identifier of another form, or without a rule
 */
export function list(id: string, about: About, judge: (list: ListLook) => Promise<void>): OwnCheck {
  return check(id, about, ({ list: look }) => judge(look));
}

/**
 * Declares a property of every list: something that holds whatever is asked. Cases are drawn from the run's seed; a
 * breach is shrunk to the smallest case that shows it, and shown again on a fresh look.
 *
 * @throws Error for an identifier of another form, or without a rule
 */
export function property<Case>(
  id: string,
  about: About & Cases<Case>,
  judge: (list: ListLook, value: Case) => Promise<void>,
): OwnCheck {
  const { arbitrary, examples = [], runs = USUAL_RUNS, atRest = true } = about;
  return declared(id, about, 'list', (context) =>
    context.property<Case>({ sample: id, arbitrary, examples, runs, atRest }, (view, value) =>
      judge(listLook(view, context.exercised), value),
    ),
  );
}

/**
 * Declares a check of the token endpoint, judged once for each target.
 *
 * @throws Error for an identifier of another form, or without a rule
 */
export function token(id: string, about: About, judge: (token: TokenLook) => Promise<void>): OwnCheck {
  return declared(id, about, 'target', async (context) => {
    const first = await breachIn(() => judge(tokenLook(context, 0)));
    if (first === null) return;
    const again = await breachIn(() => judge(tokenLook(context, 1)));
    const known = new Set(first.breaches.map(({ key, message }) => key ?? message));
    const same = again?.breaches.filter(({ key, message }) => known.has(key ?? message)) ?? [];
    if (same.length > 0) throw new Violation(same);
    throw new Undecided({ kind: 'intermittent', seen: 1, attempts: 2 }, first.message);
  });
}

function declared(
  id: string,
  about: Partial<About> | undefined,
  scope: Check['scope'],
  judge: Check['judge'],
): Check {
  if (!isOwnId(id))
    throw new Error(
      `a check of your own is called x/ and names in lower case, as x/agents-known, not "${id}"`,
    );
  const rule: unknown = about?.rule;
  if (typeof rule !== 'string' || rule.trim() === '')
    throw new Error(
      `the check ${id} has no rule; say in one sentence what the provider must do: { rule: '...' }`,
    );
  const requirement: Requirement = {
    id,
    clause: about?.clause ?? [],
    smoke: about?.smoke ?? false,
    rule,
    needs: about?.needs ?? null,
    tested: 'By a check of the user’s own.',
    breach: rule,
    causes: '',
    fix: '',
  };
  return { requirement, scope, judge: (context) => withPlace(() => judge(context)) };
}

/** Adds the place to an error of the user's own code; what Assay throws there is a finding, or says what went wrong. */
async function withPlace(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const place = isThrownByAssay(error) ? null : errorLocation(error);
    if (place === null || !(error instanceof Error)) throw error;
    throw new Error(`${error.message} (${place})`, { cause: error });
  }
}

function isOwnId(id: string): id is `x/${string}` {
  return /^x(\/[a-z0-9]+(-[a-z0-9]+)*)+$/u.test(id);
}

async function breachIn(run: () => Promise<void>): Promise<Violation | null> {
  try {
    await run();
    return null;
  } catch (error) {
    if (error instanceof Violation) return error;
    throw error;
  }
}
