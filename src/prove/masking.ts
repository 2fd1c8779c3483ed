import type { CauseKind } from '../core/cause.ts';
import type { ReportedVerdict } from '../core/prove-results.ts';
import type { Defect } from '../mock/index.ts';
import type { TrialResult } from './trial.ts';

/** A defect that was not found in a combination. */
export interface MissedDefect {
  readonly member: Defect;
  readonly survivor: ReportedVerdict;
  readonly members: readonly Defect[];
  readonly result: TrialResult;
  /** The same defects applied in the opposite order; null if not tried. */
  readonly reversed: TrialResult | null;
}

/** Kinds of breach that mask others, as patterns of requirements, with the reason. */
const MASKING_RULES: readonly {
  readonly breaks: RegExp;
  readonly hides: RegExp;
  /** The cause of the masked verdict; any if missing. */
  readonly cause?: CauseKind;
  readonly why: string;
}[] = [
  {
    breaks: /^traversal\/(same-records|no-duplicates)$/,
    hides: /^(link\/(present-when-more|absent-at-the-end)|count\/|traversal\/)/,
    why: 'changes the records at the page boundaries where it would show',
  },
  {
    breaks: /^traversal\/no-duplicates$/,
    hides: /^/,
    cause: 'changing',
    why: 'shuffles the records, so nothing proves that the data did not change',
  },
  {
    breaks: /^(count|link)\//,
    hides: /^traversal\/no-duplicates$/,
    cause: 'changing',
    why: 'removes what would prove that shuffled data did not change',
  },
  {
    breaks: /^link\/present-when-more$/,
    hides: /^traversal\/no-duplicates$/,
    cause: 'blocked',
    why: 'ends the traversals before the pages in which it would show',
  },
];

/**
 * Why a requirement that one defect breaks may not fail in a combination; null if it must fail.
 * There are three reasons:
 *
 * - The verdict is blocked, directly or indirectly, by a requirement that failed and that another member breaks.
 * - Defects that change the same step can undo each other: the last one decides. The defect is found in the
 *   opposite order.
 * - {@link MASKING_RULES} declares kinds of breach that mask others.
 */
export function explainMasking(unnamed: MissedDefect): string | null {
  return blockedByOther(unnamed) ?? undoneByOther(unnamed) ?? hiddenByOther(unnamed);
}

function blockedByOther({ member, survivor, members, result }: MissedDefect): string | null {
  let { cause } = survivor;
  const passed = new Set([survivor.requirement]);
  for (;;) {
    if (cause?.kind !== 'blocked' || passed.has(cause.by)) return null;
    const { by } = cause;
    passed.add(by);
    const verdict = result.verdicts.find(({ requirement }) => requirement === by);
    if (verdict?.verdict === 'fail') {
      const other = members.find((one) => one !== member && [...one.must, ...one.may].includes(by));
      return other === undefined ? null : `${other.id} breaks ${by}, which blocks it`;
    }
    if (verdict?.verdict !== 'inconclusive') return null;
    cause = verdict.cause;
  }
}

function undoneByOther({ survivor, reversed }: MissedDefect): string | null {
  const named = reversed?.verdicts.some(
    ({ requirement, verdict }) => requirement === survivor.requirement && verdict === 'fail',
  );
  return named === true
    ? 'another member, applied after it, undoes it; in the opposite order it is found'
    : null;
}

function hiddenByOther({ member, survivor, members }: MissedDefect): string | null {
  for (const { breaks, hides, cause, why } of MASKING_RULES) {
    if (!hides.test(survivor.requirement)) continue;
    if (cause !== undefined && survivor.cause?.kind !== cause) continue;
    const other = members.find(
      (one) => one !== member && one.must.some((requirement) => breaks.test(requirement)),
    );
    if (other !== undefined) return `${other.id} ${why}`;
  }
  return null;
}
