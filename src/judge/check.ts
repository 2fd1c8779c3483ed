import { requirement, requirements } from '../catalogue/index.ts';
import type { Requirement } from '../core/requirement.ts';
import type { RequirementId } from '../core/requirement-id.ts';
import type { CheckContext } from './context.ts';

/** A catalogue row bound to the function that judges it. */
export interface Check {
  readonly requirement: Requirement;
  /** `target` for what is judged once, `list` for what is judged for each list. */
  readonly scope: 'target' | 'list';
  /**
   * Judges once: throws Violation for a breach, Undecided with its cause where it cannot be
   * judged, and calls `exercised` wherever a breach would have shown. Returning without that is no pass.
   * What has to come after all other checks is passed to `afterOthers`.
   */
  readonly judge: (context: CheckContext) => Promise<void>;
}

/** Declares a check. Rule, clause and level stand in the catalogue; throws where the identifier does not. */
export function check(id: RequirementId, judge: (context: CheckContext) => Promise<void>): Check {
  return { requirement: requirement(id), scope: id.startsWith('token/') ? 'target' : 'list', judge };
}

/** Joins the chapters of a suite in catalogue order. Throws where a requirement has no check, or two. */
export function composeSuite(chapters: readonly (readonly Check[])[]): readonly Check[] {
  const byId = new Map<string, Check>();
  for (const one of chapters.flat()) {
    if (byId.has(one.requirement.id)) throw new Error(`two checks claim ${one.requirement.id}`);
    byId.set(one.requirement.id, one);
  }
  return requirements.map((row) => {
    const found = byId.get(row.id);
    if (found === undefined) throw new Error(`no check judges ${row.id}`);
    return found;
  });
}
