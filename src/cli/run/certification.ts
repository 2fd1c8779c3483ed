import { REQUIREMENT_IDS, type RequirementId } from '../../core/requirement-id.ts';
import type { Target } from '../../target/target.ts';
import { UsageError } from '../shared/usage-error.ts';
import type { RunOptions } from './options.ts';

/**
 * This requirement is not tested if the target supplies an expired token, because then no token has to
 * expire.
 */
const NEEDS_WAITING: RequirementId = 'token/accepted-until-expiry';

/** Throws UsageError before any request if a certification cannot be complete. */
export function expectCertifiable(targets: readonly Target[], options: RunOptions): void {
  if (options.suite !== 'certify') return;
  if (options.only.length > 0 || options.skip.length > 0)
    throw new UsageError('a certification covers every requirement: leave out --only and --skip');
  const incomplete = targets.find(({ otherCredentials }) => otherCredentials === null);
  if (incomplete !== undefined)
    throw new UsageError(
      `a certification of ${incomplete.name} needs a second provider's credentials (otherCredentials) in its target file`,
    );
}

/** Whether a run waits for a token to expire: a certification does unless every target supplies an expired one. */
export function waitsForExpiry(targets: readonly Target[], options: RunOptions): boolean {
  if (options.expiry || options.suite !== 'certify') return options.expiry;
  return targets.some(({ expiredToken }) => expiredToken === null);
}

/** One sentence per target with requirements that a certification does not test, and how to test them. */
export function certificationGaps(targets: readonly Target[], options: RunOptions): readonly string[] {
  if (options.suite !== 'certify' || waitsForExpiry(targets, options)) return [];
  const all = REQUIREMENT_IDS.length;
  return targets.map(
    ({ name }) =>
      `${name}: with expiredToken and without --expiry, ${all - 1} of ${all} requirements can be tested; add --expiry to test ${NEEDS_WAITING} as well (it waits about an hour for a token to expire)`,
  );
}
