import type { ProvenCombination, ReportedVerdict } from '../core/prove-results.ts';
import type { Defect } from '../mock/index.ts';
import { explainMasking } from './masking.ts';
import { errorsOf, fateOf, survivors, verdictsWith } from './matrix.ts';
import { randomGenerator } from './random-generator.ts';
import type { TrialResult } from './trial.ts';

/** Maximum records on a page. */
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
