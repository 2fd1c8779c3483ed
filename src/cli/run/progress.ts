import { appendFileSync } from 'node:fs';
import { jsonLine } from '../../core/json-text.ts';
import { withCommas } from '../../core/number-format.ts';
import type { RunEvent, Suite } from '../../core/results.ts';
import type { Verdict } from '../../core/verdict.ts';
import { verdictCounts } from '../../report/findings.ts';
import { shownOutcome } from '../../report/wording/headline.ts';
import { plural, visible } from '../../report/wording/phrases.ts';
import { CLEAR_LINE, type Output, type Say } from '../command.ts';

/** Interval between messages about a wait, in milliseconds. */
const INTERVAL_MS = 60_000;

/** Shorter waits are not reported, in milliseconds. */
const MIN_WAIT_MS = 5_000;

export interface Progress {
  readonly listener: (event: RunEvent) => void;
  /** Writes a separate line. */
  readonly say: (line: string) => void;
  /** Removes the live line, so that a report can follow. */
  readonly finish: () => void;
}

/** No progress, for `--quiet`; `say` still writes. */
export function silentProgress(output: Output): Progress {
  return { listener: () => undefined, say: (line) => output.write(`${line}\n`), finish: () => undefined };
}

/** A line when a target starts or ends, and for each failure and error; other verdicts may still change. */
export function plainProgress(output: Output, suite: Suite): Progress {
  const say = (line: string): void => output.write(`${line}\n`);
  const reported = new Set<string>();
  const listener = (event: RunEvent): void => {
    const target = visible(event.target);
    if (event.type === 'target-started') {
      const { requirements, selected } = event;
      const some = selected < requirements ? `${withCommas(selected)} of ` : '';
      say(`${target}: started, ${some}${plural(requirements, 'requirement')}`);
    } else if (event.type === 'verdict') {
      const { id, verdict, reason } = event.result;
      if (verdict !== 'fail' && verdict !== 'error') return;
      // One line per reason; the report has all of them.
      if (verdict === 'error' && reported.has(`${target} ${reason}`)) return;
      reported.add(`${target} ${reason}`);
      say(`${target}: ${visible(id)} ${verdict}: ${visible(reason ?? '')}`);
    } else if (event.type === 'target-finished') {
      const counts = verdictCounts(event.result.requirements);
      say(`${target}: ${shownOutcome(event.result, suite).words}, ${counts}`);
    }
  };
  return { listener, say, finish: () => undefined };
}

interface TargetState {
  readonly requirements: number;
  /** Verdicts by requirement and list: some are judged twice. */
  readonly verdicts: { [requirement: string]: Verdict };
  requests: number;
  pages: number;
  records: number;
  finished: boolean;
}

/** Interval for rewriting the live line, in milliseconds. */
const REWRITE_MS = 100;

/** Rewrites one line in place: requirements, requests, pages, records, time. For terminals. */
export function liveProgress(output: Output): Progress {
  const startedAt = Date.now();
  const targets = new Map<string, TargetState>();
  const clear = (): void => output.write(CLEAR_LINE);
  let isFinished = false;
  const draw = (): void => {
    if (isFinished) return;
    output.write(CLEAR_LINE + lineOf(targets, Date.now() - startedAt).slice(0, output.width() - 1));
  };
  const timer = setInterval(draw, REWRITE_MS);
  timer.unref();
  return {
    listener: (event) => update(targets, event),
    say: (line) => {
      clear();
      output.write(`${line}\n`);
      draw();
    },
    finish: () => {
      isFinished = true;
      clearInterval(timer);
      clear();
    },
  };
}

function update(targets: Map<string, TargetState>, event: RunEvent): void {
  if (event.type === 'target-started') {
    const { requirements } = event;
    const fresh = {
      verdicts: {},
      requests: 0,
      pages: 0,
      records: 0,
      finished: false,
    };
    targets.set(event.target, { requirements, ...fresh });
    return;
  }
  const state = targets.get(event.target);
  if (state === undefined) return;
  if (event.type === 'progress') {
    const { requests, pages, records } = event;
    Object.assign(state, { requests, pages, records });
  } else if (event.type === 'verdict') {
    const { id, resource, verdict } = event.result;
    state.verdicts[`${id} ${resource}`] = verdict;
  } else state.finished = true;
}

/** Printable ASCII characters only, each one column wide. */
function lineOf(targets: ReadonlyMap<string, TargetState>, elapsedMs: number): string {
  const states = [...targets.values()];
  const total = (count: Exclude<keyof TargetState, 'finished' | 'verdicts'>): number =>
    states.reduce((sum, state) => sum + state[count], 0);
  const verdicts = states.flatMap((state) => Object.values(state.verdicts));
  const parts = [
    `${(elapsedMs / 1000).toFixed(0)} s`,
    `${withCommas(verdicts.length)} of ${plural(total('requirements'), 'requirement')}`,
    plural(total('requests'), 'request'),
    plural(total('pages'), 'page'),
    plural(total('records'), 'record'),
  ];
  const failed = verdicts.filter((verdict) => verdict === 'fail').length;
  if (failed > 0) parts.splice(2, 0, `${withCommas(failed)} failed`);
  if (states.length > 1)
    parts.splice(1, 0, `${states.filter((one) => one.finished).length} of ${states.length} targets done`);
  return parts.join('  ');
}

/** Reports every minute how long the longest wait will take. */
export function countdown(say: Say) {
  let until = 0;
  let timer: NodeJS.Timeout | null = null;
  const report = (): void => {
    const seconds = Math.round((until - Date.now()) / 1000);
    if (seconds > 0)
      say(`assay: waiting for a token to expire, ${durationWords(seconds)} left; other checks continue`);
    else stop();
  };
  const stop = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
  };
  return {
    /** Starts a wait until this time (milliseconds since the epoch). */
    begin: (end: number): void => {
      if (end - Date.now() < MIN_WAIT_MS) return;
      until = Math.max(until, end);
      if (timer !== null) return;
      timer = setInterval(report, INTERVAL_MS);
      timer.unref();
      report();
    },
    stop,
  };
}

function durationWords(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/** Name of the progress file in a run's folder; removed when the run is finished. */
export const PROGRESS = 'progress.ndjson';

/** Minimum interval between request counts, in milliseconds. Verdicts are written immediately. */
const REQUESTS_INTERVAL_MS = 500;

/** Writes the progress of a run as JSON lines for `assay serve`. If that fails, the run continues without it. */
export function progressFile(file: string, now: () => number = Date.now): (event: RunEvent) => void {
  let lost = false;
  let writtenAt = 0;
  let lines = '';
  const flush = (): void => {
    try {
      appendFileSync(file, lines);
    } catch {
      lost = true;
    }
    lines = '';
  };
  const write = (line: object): void => {
    if (lost) return;
    if (lines === '') setImmediate(flush);
    lines += `${jsonLine(line)}\n`;
  };
  return (event) => {
    if (event.type === 'target-started') write(event);
    else if (event.type === 'verdict') {
      const { id, resource, verdict, reason } = event.result;
      write({ type: 'verdict', target: event.target, id, resource, verdict, reason });
    } else if (event.type === 'progress' && now() - writtenAt >= REQUESTS_INTERVAL_MS) {
      writtenAt = now();
      write({ type: 'progress', target: event.target, requests: event.requests });
    }
  };
}
