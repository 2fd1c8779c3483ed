import wrapAnsi from 'wrap-ansi';
import { groupBy } from '../../core/maps.ts';
import { withCommas } from '../../core/number-format.ts';
import type { StepStatus } from '../../doctor/connectivity-check.ts';
import type { CostEstimate, OpenRequirement } from '../../doctor/cost-estimate.ts';
import type { Examination } from '../../doctor/doctor.ts';
import { plural, styled, visible } from '../../report/wording/phrases.ts';
import type { Output } from '../command.ts';
import { commandLine } from '../shared/options.ts';

const SIGNS = { ok: ['✓', 'green'], warning: ['!', 'yellow'], problem: ['✗', 'red'] } as const;

const NAME_COLUMNS = 8;

type Style = Pick<Output, 'colour' | 'width'>;

/**
 * One line per step, the requests of each suite, what is not tested, and the next command.
 *
 * @param source the words of a command line that name the target: its file and its environment file, if any
 */
export function diagnosisText(examination: Examination, source: readonly string[], style: Style): string {
  const { steps, forecasts, ready } = examination;
  const lines = [
    visible(`${examination.target}: tokens from ${examination.authUrl}, lists from ${examination.baseUrl}`),
    ...steps.map(({ step, finding, sentence }) => line(finding, step, sentence, style)),
    ...forecasts.map((forecast) =>
      line(forecast.bounded ? 'warning' : 'ok', forecast.suite, costOf(forecast), style),
    ),
  ];
  const open = untested(forecasts);
  if (open.length > 0) {
    lines.push('', 'Not tested, even if the provider conforms:');
    for (const [suites, { id, resource, reason }] of open) {
      const place = resource === null ? id : `${id} of ${resource}`;
      lines.push(line('warning', '', `${place} (${suites}): ${reason}`, style));
    }
  }
  const width = Math.max(30, Math.min(style.width(), 110));
  lines.push(
    '',
    wrapAnsi(ready ? numbersApplyTo(forecasts) : 'Fix the problems marked ✗ before a run.', width),
  );
  // Not wrapped, so that users can copy it.
  if (ready) lines.push(...next(forecasts, source));
  return `${lines.join('\n')}\n\n`;
}

function line(finding: StepStatus, name: string, sentence: string, { colour, width }: Style): string {
  const [sign, hue] = SIGNS[finding];
  const mark = colour ? styled(hue, sign) : sign;
  const label = name === '' ? '' : name.padEnd(NAME_COLUMNS);
  const indent = 2 + label.length;
  const columns = Math.max(30, Math.min(width(), 110) - indent - 2);
  const wrapped = wrapAnsi(visible(sentence), columns).split('\n');
  return `  ${mark} ${label}${wrapped.join(`\n${' '.repeat(indent + 2)}`)}`;
}

function costOf({ requests, mostRequests, exact, seconds, waitingSeconds, bounded }: CostEstimate): string {
  const most = mostRequests === requests ? '' : ` (at most ${withCommas(mostRequests)})`;
  const number = `${exact ? '' : 'about '}${plural(requests, 'request')}${most}`;
  const wait =
    waitingSeconds === 0 ? '' : `, including ${duration(waitingSeconds)} of waiting for a token to expire`;
  const cut = bounded ? '; limits.maxRequests ends it early, so some requirements are not tested' : '';
  return `${number}, about ${duration(seconds)}${wait}${cut}.`;
}

/** A duration: `45 s`, `12 min`, `1 h 5 min`. */
function duration(seconds: number): string {
  if (seconds < 120) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Requirements that are not tested, with their suites; one entry per reason. */
function untested(
  forecasts: readonly CostEstimate[],
): readonly (readonly [suites: string, OpenRequirement])[] {
  const open = forecasts.flatMap((forecast) =>
    forecast.open.map((requirement) => ({ suite: forecast.suite, requirement })),
  );
  const groups = groupBy(open, ({ requirement: { id, resource, reason } }) =>
    JSON.stringify([id, resource, reason]),
  );
  return [...groups.values()].map((same) => [same.map(({ suite }) => suite).join(', '), same[0].requirement]);
}

function numbersApplyTo([first]: readonly CostEstimate[]): string {
  return first === undefined
    ? 'A run can be carried out.'
    : `The numbers of requests apply to --seed ${first.seed} and do not include retries. The higher number applies if the provider refuses calls that the specification leaves open.`;
}

/** The lines with the next command; empty if nothing was estimated. */
function next([first]: readonly CostEstimate[], source: readonly string[]): readonly string[] {
  if (first === undefined) return [];
  const options = ['--suite', first.suite, '--seed', String(first.seed)];
  return ['', `Next: ${commandLine(['assay', 'run', ...source, ...options])}`];
}
