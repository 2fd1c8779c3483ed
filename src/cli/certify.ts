import type { RequirementResult, Results } from '../core/results.ts';
import type { Target } from '../target/target.ts';
import type { RunOptions } from './run-options.ts';
import { UsageError } from './usage-error.ts';

/** What a supplied expired token makes up for: then nobody waits for one of the run to expire. */
const NEEDS_WAITING = 'token/accepted-until-expiry';

/**
 * Expects that a certification can be complete. Throws UsageError, before anything is sent, where it cannot.
 */
export function expectCertifiable(targets: readonly Target[], options: RunOptions): void {
  if (options.suite !== 'certify') return;
  if (options.only.length > 0 || options.skip.length > 0)
    throw new UsageError('a certification covers every requirement: leave out --only and --skip');
  const alone = targets.find(({ otherCredentials }) => otherCredentials === null);
  if (alone !== undefined)
    throw new UsageError(
      `a certification of ${alone.name} needs a second provider's credentials (otherCredentials) in its target file`,
    );
}

/** Whether a run waits for a token to expire: a certification does unless every target supplies an expired one. */
export function waitsForExpiry(targets: readonly Target[], options: RunOptions): boolean {
  if (options.expiry || options.suite !== 'certify') return options.expiry;
  return targets.some(({ expiredToken }) => expiredToken === null);
}

/** Requirements that a certification leaves unjudged although it may not. */
export function uncertified(results: Results): readonly RequirementResult[] {
  if (results.run.suite !== 'certify') return [];
  return results.targets.flatMap(({ requirements }) => {
    const refused = requirements.find(({ id }) => id === 'token/refused-after-expiry');
    return requirements.filter(
      ({ id, verdict }) =>
        verdict === 'inconclusive' ||
        (verdict === 'skipped' && !(id === NEEDS_WAITING && refused?.verdict === 'pass')),
    );
  });
}
