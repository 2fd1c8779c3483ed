import type { RequirementResult } from './results.ts';

/** How the reason of a verdict begins that could not be had since another requirement is broken. */
const FOLLOWS = /^follows from ([^\s:]+): ([\s\S]*)$/u;

/** The requirement whose failure keeps another from being judged; null where the reason is another one. */
export function followedFrom(reason: string | null): string | null {
  return FOLLOWS.exec(reason ?? '')?.[1] ?? null;
}

/** The reason of a verdict that follows from a breach of another requirement; `what` was seen is a sentence. */
export function followingFrom(requirement: string, what: string): string {
  return `follows from ${requirement}: ${what}`;
}

/**
 * The results of a target, none of which says that it follows from a breach that was not told: where the requirement that
 * is named passed, what was seen had gone when it was judged, and where it was left out, nobody looked whether it lasts.
 */
export function withTrueCauses(results: readonly RequirementResult[]): readonly RequirementResult[] {
  return results.map((result) => {
    const [, id, what] = FOLLOWS.exec(result.reason ?? '') ?? [];
    const causes = results.filter(
      (one) => one.id === id && (one.resource === null || one.resource === result.resource),
    );
    const verdicts = new Set(causes.map(({ verdict }) => verdict));
    if (verdicts.size !== 1) return result;
    if (verdicts.has('pass'))
      return {
        ...result,
        reason: `not judged: ${what}; that came and went, since ${id} was kept when it was judged: run again when provider and list are at rest`,
      };
    if (verdicts.has('skipped'))
      return { ...result, reason: `${result.reason}; ${id} is not judged in this run, so run that, too` };
    return result;
  });
}
