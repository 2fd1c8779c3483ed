import { requirements } from '../../specs/catalogue.ts';
import { EXPIRY_REQUIREMENTS } from '../core/requirement-id.ts';
import { didYouMean } from '../core/suggestion.ts';
import { globPattern } from '../core/text.ts';
import { UserError } from '../core/user-error.ts';
import { type Defect, defects, type MockOptions, type Variant, variants } from '../mock/index.ts';
import type { Trial } from './trial.ts';

interface TrialSelection {
  readonly defects: readonly Defect[];
  readonly variants: readonly Variant[];
}

/**
 * An hour of the provider's clock takes nine seconds: slow enough for a busy machine, because the checks look at
 * minutes before and after the expiry.
 */
const CLOCK_RATE = 400;

/**
 * Defects and variants that match any of the globs, by identifier or by a requirement that the defect must fail;
 * all without globs.
 *
 * @throws UserError for the first glob without a match
 */
export function selectTrials(globs: readonly string[]): TrialSelection {
  if (globs.length === 0) return { defects, variants };
  const patterns = globs.map(globPattern);
  const names = [...defects, ...variants].map(({ id }) => id);
  const broken = new Set(defects.flatMap(({ must }) => must));
  for (const [index, pattern] of patterns.entries()) {
    if ([...names, ...broken].some((name) => pattern.test(name))) continue;
    const glob = globs[index] ?? '';
    const known = [...names, ...requirements.map(({ id }) => id)];
    throw new UserError(`"${glob}" matches no defect, variant or requirement${didYouMean(glob, known)}`);
  }
  const named = (...ids: readonly string[]): boolean =>
    ids.some((id) => patterns.some((one) => one.test(id)));
  return {
    defects: defects.filter(({ id, must }) => named(id, ...must)),
    variants: variants.filter(({ id }) => named(id)),
  };
}

/** The trial of one or more defects in one provider, with what each of them needs. */
export function defectTrial(members: readonly Defect[], seed: number): Trial {
  const expiry = members.some(({ needs }) => needs.expiry === true);
  const tokens = members.map(({ needs }) => needs.tokens).find((form) => form !== undefined);
  const mock: MockOptions = {
    records: Math.max(...members.map(({ records }) => records)),
    defects: members.map(({ id }) => id),
    ...(expiry ? { clockRate: CLOCK_RATE } : {}),
    ...(tokens === undefined ? {} : { tokens }),
  };
  // Full runs draw some requests by their seed, so only certify is certain to find a defect that one of these shows. Its
  // long list of page sizes adds nothing here: the chapters that the members break are enough.
  if (members.some(({ needs }) => needs.suite === 'certify')) {
    const only = members.some(({ needs }) => needs.wholeSuite === true) ? [] : chaptersOf(members);
    return { mock, suite: 'certify', only, seed, runs: null, expiry };
  }
  const observes = members.some(({ needs }) => needs.observations === true);
  return { mock, suite: 'full', only: [], seed, runs: null, expiry, observes };
}

/** The requirements of tokens and authorization, and of all other chapters that one of these defects breaks. */
function chaptersOf(members: readonly Defect[]): readonly string[] {
  const chapterOf = (id: string): string => id.split('/')[0] ?? '';
  const chapters = new Set(['token', 'authorization', ...members.flatMap(({ must }) => must.map(chapterOf))]);
  return requirements.map(({ id }) => id).filter((id) => chapters.has(chapterOf(id)));
}

/** The trials of a variant: all checks but expiry, and, unless its data changes, the expiry checks with a faster clock. */
export function variantTrials(variant: Variant, seed: number): readonly Trial[] {
  // For changing data the seed also decides when it changes.
  const mock: MockOptions = { variant: variant.id, ...(variant.living === true ? { seed } : {}) };
  const main: Trial = { mock, suite: 'full', only: [], seed, runs: null, expiry: false };
  if (variant.living === true) return [main];
  const fast = { ...mock, clockRate: CLOCK_RATE };
  return [main, { ...main, mock: fast, only: EXPIRY_REQUIREMENTS, expiry: true }];
}
