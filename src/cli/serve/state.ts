import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { FILE_NAMES } from '../../core/file-names.ts';
import { readRegularFile } from '../../core/files.ts';
import { isJsonObject, parsedJson } from '../../core/json-text.ts';
import { VERDICTS, type Verdict } from '../../core/verdict.ts';
import { countVerdicts } from '../../report/findings.ts';
import type { FinishedRun, RunningRun, RunningTarget, RunsPage } from '../../report/history/runs-page.tsx';
import { stampOf, stampStyle } from '../../report/wording/headline.ts';
import { PROGRESS } from '../shared/run-files/progress-file.ts';
import { readResults, runNamesIn } from '../shared/run-files/results-file.ts';

const known = new Map<string, FinishedRun>();

/** Reads a folder of runs; runs that cannot be read are skipped. */
export async function stateOf(folder: string): Promise<RunsPage> {
  if (!existsSync(folder)) return { running: [], finished: [] };
  const finished: FinishedRun[] = [];
  for (const name of runNamesIn(folder)) {
    const run = known.get(name) ?? (await finishedRun(folder, name));
    if (run === null) continue;
    // A folder of --out may be replaced; a folder named after a run id never is.
    if (/^\d{8}-\d{6}-/u.test(name)) known.set(name, run);
    finished.push(run);
  }
  return {
    running: runningIn(folder),
    finished: finished.toSorted((one, other) => other.at.localeCompare(one.at)),
  };
}

async function finishedRun(folder: string, name: string): Promise<FinishedRun | null> {
  try {
    const results = await readResults(path.join(folder, name, FILE_NAMES.results));
    const { run, targets } = results;
    const outcome = { words: stampOf(results), style: stampStyle(results) };
    const counts = countVerdicts(targets.flatMap(({ requirements }) => requirements));
    return { name, at: run.startedAt, outcome, targets: targets.map((target) => target.name), counts };
  } catch {
    return null;
  }
}

const MAX_PROGRESS_BYTES = 268_435_456;

function progressText(file: string): string {
  return readRegularFile(file, MAX_PROGRESS_BYTES).toString('utf8');
}

function runningIn(folder: string): readonly RunningRun[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.startsWith('.'))
    .flatMap((entry) => {
      const file = path.join(folder, entry.name, PROGRESS);
      try {
        return [{ name: entry.name.slice(1), targets: targetsIn(progressText(file)) }];
      } catch {
        // Not a run, or just finished.
        return [];
      }
    });
}

interface TargetProgress extends RunningTarget {
  requirements: number;
  requests: number;
  readonly verdicts: RunningTarget['verdicts'][number][];
}

/** The targets of a progress file. Invalid lines are skipped, such as a partly written last line. */
function targetsIn(text: string): readonly RunningTarget[] {
  const targets = new Map<string, TargetProgress>();
  const progressOf = (name: string): TargetProgress => {
    const known = targets.get(name) ?? { name, requirements: 0, requests: 0, verdicts: [] };
    targets.set(name, known);
    return known;
  };
  for (const line of text.split('\n').map(parsedJson)) {
    if (!isJsonObject(line)) continue;
    const { type, target, requirements, requests, id, verdict, reason } = line;
    if (typeof target !== 'string') continue;
    if (type === 'target-started' && isCount(requirements)) progressOf(target).requirements = requirements;
    else if (type === 'progress' && isCount(requests)) progressOf(target).requests = requests;
    else if (type === 'verdict' && isVerdict(verdict) && typeof id === 'string' && isReason(reason))
      progressOf(target).verdicts.push({ id, verdict, reason });
  }
  return [...targets.values()];
}

function isVerdict(value: unknown): value is Verdict {
  return VERDICTS.some((one) => one === value);
}

function isReason(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
