import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { FILE_NAMES } from '../../core/file-names.ts';
import { isJsonObject, parsedJson } from '../../core/json-text.ts';
import { readRegularFile } from '../../core/regular-file.ts';
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

type Line =
  | { readonly type: 'target-started'; readonly target: string; readonly requirements: number }
  | { readonly type: 'progress'; readonly target: string; readonly requests: number }
  | {
      readonly type: 'verdict';
      readonly target: string;
      readonly id: string;
      readonly verdict: Verdict;
      readonly reason: string | null;
    };

function targetsIn(text: string): readonly RunningTarget[] {
  const targets = new Map<
    string,
    { name: string; requirements: number; requests: number; verdicts: RunningTarget['verdicts'][number][] }
  >();
  for (const line of text.split('\n')) {
    const read = lineOf(line);
    if (read === null) continue;
    const target = targets.get(read.target) ?? {
      name: read.target,
      requirements: 0,
      requests: 0,
      verdicts: [],
    };
    targets.set(read.target, target);
    if (read.type === 'target-started') target.requirements = read.requirements;
    else if (read.type === 'progress') target.requests = read.requests;
    else target.verdicts.push({ id: read.id, verdict: read.verdict, reason: read.reason });
  }
  return [...targets.values()];
}

/** One line of a progress file; null if invalid, such as a partly written last line. */
function lineOf(text: string): Line | null {
  const line = parsedJson(text);
  return isLine(line) ? line : null;
}

function isLine(line: unknown): line is Line {
  if (!isJsonObject(line)) return false;
  const { type, target, requirements, requests, id, verdict, reason } = line;
  if (typeof target !== 'string') return false;
  if (type === 'target-started') return isCount(requirements);
  if (type === 'progress') return isCount(requests);
  const isVerdict = VERDICTS.some((one) => one === verdict);
  return (
    type === 'verdict' &&
    isVerdict &&
    typeof id === 'string' &&
    (reason === null || typeof reason === 'string')
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
