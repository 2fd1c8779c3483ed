import { onOneLine, type Requirement } from '../core/requirement.ts';
import { REQUIREMENT_IDS, type RequirementId } from '../core/requirement-id.ts';
import type { CheckContext } from './context.ts';
import type { PageOracle } from './rules/page-rule.ts';
import type { Oracle } from './rules/rule.ts';

/** A requirement with the function that tests it. */
export interface Check {
  readonly requirement: Requirement;
  /** `target` if it is judged once, `list` if it is judged for each list. */
  readonly scope: 'target' | 'list';
  /**
   * Runs the check once. Throws Violation for a breach and Undecided if there is no verdict, and calls
   * `exercised` for each case in which a breach would have shown. Without an exercised case the check does not
   * pass. A part that must run after all other checks is passed to `afterAllChecks`.
   */
  readonly judge: (context: CheckContext) => Promise<void>;
  /** What the requirement says of one case; a custom check states none. */
  readonly oracle?: Oracle;
  /** The oracle of a rule for single pages, for pages that others ask for. */
  readonly pageOracle?: PageOracle;
  /**
   * Whether the rule concerns single answers, whatever their items are: then it can be judged although items have no
   * identifier or pages are not filled.
   */
  readonly isAboutAnswers?: boolean;
  /**
   * Records that the list must hold until the end of the run. With fewer, a broken provider gives the same answers as a
   * correct one.
   */
  readonly leastRecords?: number;
  /** Where a custom check is declared, as `checks/mine.mjs:12` relative to the working folder; null if unknown. */
  readonly declaredAt?: string | null;
}

/** What a file of `specs/` states: the texts of a requirement and how it is tested. */
interface RequirementDefinition extends Omit<Requirement, 'smoke' | 'needs'> {
  readonly id: RequirementId;
  /** Not part of the smoke suite if left out. */
  readonly smoke?: true;
  /** Nothing if left out. */
  readonly needs?: string;
  readonly judge: Check['judge'];
  /** What `judge` leaves until all other checks have run; not part of the smoke suite. */
  readonly testLater?: readonly Check['judge'][];
  readonly oracle: Oracle | PageOracle;
  readonly isAboutAnswers?: true;
  readonly leastRecords?: number;
}

/** Declares a requirement of the specification. Requirements of the chapter `token` are judged once per target. */
export function requirement({
  judge,
  testLater = [],
  oracle,
  isAboutAnswers,
  leastRecords = 0,
  smoke,
  needs,
  ...texts
}: RequirementDefinition): Check {
  const scope = texts.id.startsWith('token/') ? 'target' : 'list';
  return {
    requirement: { ...onOneLine(texts), smoke: smoke === true, needs: needs ?? null },
    scope,
    judge: (context) => {
      if (context.options.suite !== 'smoke')
        for (const test of testLater) context.afterAllChecks(() => test(context));
      return judge(context);
    },
    isAboutAnswers: isAboutAnswers === true,
    leastRecords,
    ...(typeof oracle === 'function' ? { oracle } : { oracle: oracle.decide, pageOracle: oracle }),
  };
}

/**
 * Returns the checks if they are those of all requirements, in catalogue order. Throws if one is missing, doubled or
 * out of order.
 */
export function suiteOf(checks: readonly Check[]): readonly Check[] {
  for (const [index, id] of REQUIREMENT_IDS.entries())
    if (checks[index]?.requirement.id !== id)
      throw new Error(`specs/suite.ts lists ${checks[index]?.requirement.id ?? 'nothing'} instead of ${id}`);
  if (checks.length !== REQUIREMENT_IDS.length) throw new Error('specs/suite.ts lists a requirement twice');
  return checks;
}

/** Every check with the input of its list: checks of scope `target` with the first one only, others with each. */
export function plan<Input>(
  checks: readonly Check[],
  inputs: readonly Input[],
): readonly { readonly check: Check; readonly input: Input }[] {
  return checks.flatMap((check) =>
    (check.scope === 'target' ? inputs.slice(0, 1) : inputs).map((input) => ({ check, input })),
  );
}
