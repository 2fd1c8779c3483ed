import { packageVersion } from '../core/package-file.ts';
import type { Results } from '../core/results.ts';

interface RunFacts extends Omit<Results['run'], 'startedAt' | 'finishedAt'> {
  readonly startedAt: Date;
}

/** The results of a run that ends now. */
export function runResults(
  { id, startedAt, ...facts }: RunFacts,
  { outcome, targets }: Pick<Results, 'outcome' | 'targets'>,
): Results {
  return {
    format: 'assay-results/1',
    tool: { name: 'assay', version: packageVersion(), node: process.version },
    run: { id, startedAt: startedAt.toISOString(), finishedAt: new Date().toISOString(), ...facts },
    outcome,
    targets,
  };
}
