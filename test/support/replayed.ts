import path from 'node:path';
import type { Results } from '../../src/core/results.ts';
import type { Check } from '../../src/judge/check.ts';
import { conform } from '../../src/run/conform.ts';
import type { ConformOptions } from '../../src/run/conform-options.ts';
import { type Replay, replay } from '../../src/run/replay/replay.ts';
import type { Target } from '../../src/target/target.ts';
import { runOptions } from './run-options.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Replayed {
  readonly results: Results;
  readonly again: Replay;
}

/** Tests targets with evidence, then replays the evidence; `between` is called after the run. */
export async function runAndReplay(
  targets: readonly Target[],
  options: Partial<ConformOptions> = {},
  {
    between = () => Promise.resolve(),
    ...choice
  }: {
    readonly only?: string;
    readonly checks?: readonly Check[];
    readonly between?: () => Promise<void>;
  } = {},
): Promise<Replayed> {
  const evidenceFile = path.join(temporaryFolder('replay'), 'evidence.ndjson.gz');
  const results = await conform(targets, runOptions({ evidenceFile, ...options }));
  await between();
  const again = await replay(results, evidenceFile, choice);
  return { results, again };
}
