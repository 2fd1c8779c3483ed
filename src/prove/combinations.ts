import type { CauseKind } from '../core/cause.ts';
import type { ProvenCombination, ReportedVerdict } from '../core/prove-results.ts';
import type { Defect } from '../mock/index.ts';
import { errorsOf, fateOf, survivors, verdictsWith } from './matrix.ts';
import type { TrialResult } from './trial.ts';

/** A defect that was not found in a combination. */
interface MissedDefect {
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
    breaks: /^authorization\/accepted$/,
    hides: /^traversal\/no-duplicates$/,
    why: 'refuses some of the repeated calls in which it would show',
  },
  {
    breaks: /^link\/offset$/,
    hides: /^traversal\/by-parameters$/,
    cause: 'intermittent',
    why: 'gives other links in each attempt, so that no difference from them shows twice',
  },
  {
    breaks: /^link\/present-when-more$/,
    hides: /^traversal\/no-duplicates$/,
    cause: 'blocked',
    why: 'ends the traversals before the pages in which it would show',
  },
];

/** A seeded generator of numbers from 0 to below 1 (mulberry32). */
export function randomGenerator(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

const MAX_PAGE_RECORDS = 500;

/**
 * Draws up to `number` different pairs and triples of defects; the same seed gives the same ones. Defects that need an order of
 * requests are left out.
 */
export function drawCombinations(
  defects: readonly Defect[],
  number: number,
  seed: number,
): readonly (readonly Defect[])[] {
  const random = randomGenerator(seed);
  const eligible = defects.filter(({ needs }) => needs.order !== true);
  const drawn = new Map<string, readonly Defect[]>();
  // The bound matters only if there are few defects to choose from.
  for (let tries = 0; drawn.size < number && tries < number * 20; tries++) {
    const members = new Set<Defect>();
    const wanted = Math.min(eligible.length, 2 + Math.floor(random() * 2));
    while (members.size < wanted) members.add(eligible[Math.floor(random() * eligible.length)] as Defect);
    const chosen = [...members];
    if (chosen.length < 2 || !isCompatible(chosen)) continue;
    const key = chosen
      .map(({ id }) => id)
      .toSorted((left, right) => left.localeCompare(right, 'en'))
      .join(' ');
    if (!drawn.has(key)) drawn.set(key, chosen);
  }
  return [...drawn.values()];
}

/**
 * Whether one provider can have all of these defects: they need the same form of token and the same number of
 * records. Defects of tokens and authorization show in any list of several pages.
 */
function isCompatible(members: readonly Defect[]): boolean {
  const differ = (values: readonly unknown[]): boolean =>
    new Set(values.filter((value) => value !== undefined)).size > 1;
  if (differ(members.map(({ needs }) => needs.tokens))) return false;
  const anyLength = ({ must, records }: Defect): boolean =>
    records > MAX_PAGE_RECORDS && /^(token|authorization)\//.test(must[0] ?? '');
  const lengths = members.filter((member) => !anyLength(member)).map(({ records }) => records);
  return (
    !differ(lengths) && (!members.some(anyLength) || lengths.every((length) => length > MAX_PAGE_RECORDS))
  );
}

/** A row for several defects in one provider. */
export function rowOfCombination(
  members: readonly Defect[],
  result: TrialResult,
  reversed: TrialResult | null,
): ProvenCombination {
  const allowed = new Set(members.flatMap(({ must, may }) => [...must, ...may]));
  const failed = verdictsWith(result, 'fail');
  const escaped: ReportedVerdict[] = [];
  const masked: ProvenCombination['masked'][number][] = [];
  for (const member of members) {
    for (const survivor of member.must.flatMap((requirement) => survivors(requirement, result))) {
      const why = explainMasking({ member, survivor, members, result, reversed });
      if (why === null) escaped.push({ ...survivor, sentence: `${member.id}: ${survivor.sentence}` });
      else masked.push({ defect: member.id, requirement: survivor.requirement, why });
    }
  }
  const falselyFailed = failed.filter(({ requirement }) => !allowed.has(requirement));
  const errors = errorsOf(result);
  return {
    id: members.map(({ id }) => id).join(' + '),
    sentence: members.map(({ sentence }) => sentence).join(' '),
    defects: members.map(({ id }) => id),
    fate: fateOf({ escaped, falselyFailed, errors }),
    killedBy: [...new Set(failed.map(({ requirement }) => requirement))].filter((id) => allowed.has(id)),
    masked,
    escaped,
    falselyFailed,
    errors,
    requests: result.requests,
    durationMs: result.durationMs,
  };
}

/**
 * Why a requirement that one defect breaks may not fail in a combination; null if it must fail. There are three reasons:
 *
 * - The verdict is blocked, directly or indirectly, by a requirement that failed and that another member breaks.
 * - Defects that change the same step can undo each other: the last one decides. The defect is found in the opposite order.
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
