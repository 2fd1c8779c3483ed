import type { Requirement } from '../core/requirement.ts';
import { REQUIREMENT_IDS, type RequirementId } from '../core/requirement-id.ts';
import type { CheckContext } from './context.ts';

/** A requirement with the function that tests it. */
export interface Check {
  readonly requirement: Requirement;
  /** `target` for what is judged once, `list` for what is judged for each list. */
  readonly scope: 'target' | 'list';
  /**
   * Tests once: throws Violation for a breach, Undecided with its cause where it cannot be decided, and calls `exercised`
   * for each case in which a breach would have shown. A check that returns without an exercised case does not pass.
   * What has to come after all other checks is passed to `afterAllChecks`.
   */
  readonly judge: (context: CheckContext) => Promise<void>;
}

/** What a file of `specs/` states: the texts of a requirement and how it is tested. */
export interface RequirementDefinition extends Requirement {
  readonly id: RequirementId;
  readonly judge: Check['judge'];
}

/** Declares a requirement of the specification; those of the chapter `token` are judged once per target. */
export function requirement({ judge, ...texts }: RequirementDefinition): Check {
  return { requirement: texts, scope: texts.id.startsWith('token/') ? 'target' : 'list', judge };
}

/** Returns the checks if they are those of all requirements, in catalogue order. Throws if one is missing, doubled or out of order. */
export function suiteOf(checks: readonly Check[]): readonly Check[] {
  for (const [index, id] of REQUIREMENT_IDS.entries())
    if (checks[index]?.requirement.id !== id)
      throw new Error(
        `specs/suite.ts lists ${checks[index]?.requirement.id ?? 'nothing'} where ${id} is due`,
      );
  if (checks.length !== REQUIREMENT_IDS.length) throw new Error('specs/suite.ts lists a requirement twice');
  return checks;
}
