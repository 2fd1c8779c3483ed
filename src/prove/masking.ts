import type { CauseKind } from '../core/cause.ts';
import type { ReportedVerdict } from '../core/prove-results.ts';
import type { Defect } from '../mock/index.ts';
import type { TrialResult } from './trial.ts';

/** A defect that was not named beside others, and all that is known of it. */
export interface MissedDefect {
  readonly member: Defect;
  readonly survivor: ReportedVerdict;
  readonly members: readonly Defect[];
  readonly result: TrialResult;
  /** The same defects, applied in the opposite order; null where that was not tried. */
  readonly reversed: TrialResult | null;
}

/** Kinds of breach beside which others do not show, with the reason. Patterns of requirements. */
const MASKING_RULES: readonly {
  readonly breaks: RegExp;
  readonly hides: RegExp;
  /** The causes that it leaves; any where left out. */
  readonly cause?: CauseKind;
  readonly why: string;
}[] = [
  {
    breaks: /^traversal\/(same-records|no-duplicates)$/,
    hides: /^(link\/(present-when-more|absent-at-the-end)|count\/|traversal\/)/,
    why: 'gives other records on the pages at whose edge it would show',
  },
  {
    breaks: /^traversal\/no-duplicates$/,
    hides: /^/,
    cause: 'changing',
    why: 'shuffles the records, and nothing is left that proves them to be at rest',
  },
  {
    breaks: /^(count|link)\//,
    hides: /^traversal\/no-duplicates$/,
    cause: 'changing',
    why: 'leaves nothing that proves shuffled records to be at rest',
  },
];

/**
 * Why a requirement that one defect of a provider breaks may go unnamed beside the others; null where it may not.
 *
 * Three mechanisms excuse it, and no list of pairs:
 *
 * - A verdict may be blocked by another requirement. That excuses it where that requirement, or the one that blocks that
 *   one in turn, failed, and another member breaks it.
 * - Defects that change one step of the provider can undo each other: whichever is applied last decides. That
 *   excuses it where it is named once they are applied in the opposite order.
 * - A few kinds of breach take away what others of some kinds show in; {@link MASKING_RULES} declares them.
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
    ? 'another member, applied after it, undoes it; in the opposite order it is named'
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
