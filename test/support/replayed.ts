import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Results } from '../../src/core/results.ts';
import { type ConformOptions, conform } from '../../src/run/conform.ts';
import { type Replay, replay } from '../../src/run/replay.ts';
import type { Target } from '../../src/target/target.ts';

export interface Replayed {
  readonly results: Results;
  readonly again: Replay;
  /** Milliseconds. */
  readonly runMs: number;
  readonly replayMs: number;
}

/** Judges targets with evidence, then again from that evidence. */
export async function runAndReplay(
  targets: readonly Target[],
  options: Partial<ConformOptions> = {},
  choice: { readonly only?: string } = {},
): Promise<Replayed> {
  const folder = mkdtempSync(path.join(tmpdir(), 'assay-replay-'));
  try {
    const evidenceFile = path.join(folder, 'evidence.ndjson.gz');
    const started = performance.now();
    const results = await conform(targets, {
      suite: 'full',
      only: [],
      skip: [],
      seed: 42,
      runs: null,
      expiry: false,
      command: 'test',
      runId: 'test',
      evidenceFile,
      listener: () => undefined,
      signal: null,
      ...options,
    });
    const between = performance.now();
    const again = await replay(results, evidenceFile, choice);
    return { results, again, runMs: between - started, replayMs: performance.now() - between };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
