import type { Results, TargetResult, Traffic } from '../../core/results.ts';
import { SHOWN_VERDICTS, type ShownVerdict, shownVerdict } from '../../core/verdict.ts';
import { type Chart, linearAxis, Mark, Plot, percent } from '../charts/plot.tsx';
import { ChartFigure } from '../html/charts.tsx';
import { renderDocument } from '../html/document.tsx';
import { Scroll, SIGNS } from '../html/parts.tsx';
import { script } from '../html/script.ts';
import { outcomeAmongRuns, type ShownOutcome, shownOutcome } from '../wording/headline.ts';
import { enumeration, milliseconds, plural, timeWords, visible } from '../wording/phrases.ts';

/** history.html: all runs of all targets, oldest first, as one self-contained page. */
export function renderHistory(runs: readonly PastRun[]): string {
  const histories = historyOf(runs);
  const content = (
    <>
      <header class="overview">
        <p class="brand">
          <b>Assay</b> history
        </p>
        <h1>
          {plural(runs.length, 'run')} of {plural(histories.length, 'target')}
        </h1>
      </header>
      <main>
        {histories.map((history) => (
          <Target key={history.name} history={history} />
        ))}
      </main>
    </>
  );
  return renderDocument({ title: `Assay: ${plural(runs.length, 'run')}`, script, content });
}

function Target({ history }: { readonly history: TargetHistory }) {
  const { name, points, rows, flaky } = history;
  const last = points.at(-1);
  const newestFirst = points.toReversed();
  return (
    <section>
      <h2>{visible(name)}</h2>
      <p>
        {plural(points.length, 'run')}
        {last === undefined ? null : (
          <>
            , the last one <b class={last.outcome.style}>{last.outcome.words}</b>
          </>
        )}
      </p>
      {flaky.length === 0 ? null : (
        <p class="notice">
          Flaky: {enumeration(flaky.map((row) => `${visible(row.id)} (changed ${row.changes} times)`))}.
        </p>
      )}
      <Scroll name={`Requirements of ${visible(name)} over time`}>
        <table class="heat">
          <caption>Verdicts, newest run first; times in UTC</caption>
          <thead>
            <tr>
              <th scope="col">requirement</th>
              {newestFirst.map((point, index) => (
                <th scope="col" key={`${point.id} ${point.link}`}>
                  <a href={point.link} title={`${visible(point.at)}: ${point.outcome.words}`}>
                    <time dateTime={visible(point.at)}>{timeWords(point.at, 'minute')}</time>
                    <span>{points.length - index}</span>
                  </a>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr class="outcomes">
              <th scope="row">outcome</th>
              {newestFirst.map((point) => (
                <td key={`${point.id} ${point.link}`} class={`cell outcome-${point.outcome.style}`}>
                  <span aria-hidden="true">{OUTCOME_SIGNS[point.outcome.style]}</span>
                  <span class="unseen">{point.outcome.words}</span>
                </td>
              ))}
            </tr>
            {rows.map((row) => (
              <HeatRow key={row.id} row={row} />
            ))}
          </tbody>
        </table>
      </Scroll>
      <div class="charts">{points.length > 1 ? <ChartFigure chart={latencyTrend(points)} /> : null}</div>
    </section>
  );
}

const OUTCOME_SIGNS = { conformant: '✓', 'non-conformant': '✗', inconclusive: '?', error: '!' } as const;

function HeatRow({ row }: { readonly row: Row }) {
  return (
    <tr>
      <th scope="row">{visible(row.id)}</th>
      {row.verdicts.toReversed().map((verdict, index) => (
        <td key={index} class={`cell cell-${verdict ?? 'none'}`}>
          <span aria-hidden="true">
            {verdict === null ? '' : verdict === 'waived' ? 'w' : SIGNS[verdict]}
          </span>
          <span class="unseen">{verdict ?? 'absent'}</span>
        </td>
      ))}
    </tr>
  );
}

interface PastRun {
  readonly link: string;
  readonly results: Results;
}

interface Point {
  readonly link: string;
  readonly id: string;
  readonly at: string;
  readonly outcome: ShownOutcome;
  readonly target: TargetResult;
}

/** One requirement over the runs of a target: the worst verdict of its resources; null if it was absent. */
interface Row {
  readonly id: string;
  readonly verdicts: readonly (ShownVerdict | null)[];
  readonly changes: number;
}

interface TargetHistory {
  readonly name: string;
  readonly points: readonly Point[];
  readonly rows: readonly Row[];
  /** Rows that changed at least twice. */
  readonly flaky: readonly Row[];
}

/** Most runs shown per target; the newest count. */
const MAX_RUNS = 40;

/** Sorts runs by target, oldest first. */
export function historyOf(runs: readonly PastRun[]): readonly TargetHistory[] {
  const names = [...new Set(runs.flatMap(({ results }) => results.targets.map(({ name }) => name)))];
  return names.map((name) => {
    const points = runs
      .flatMap(({ link, results }) =>
        results.targets
          .filter((target) => target.name === name)
          .map((target): Point => {
            const { id, startedAt, suite } = results.run;
            return {
              link,
              id,
              at: startedAt,
              outcome: outcomeAmongRuns(shownOutcome(target, suite), results),
              target,
            };
          }),
      )
      .slice(-MAX_RUNS);
    const ids = [...new Set(points.flatMap(({ target }) => target.requirements.map(({ id }) => id)))];
    const rows = ids.map((id): Row => {
      const verdicts = points.map(({ target }) => worstOf(target, id));
      return { id, verdicts, changes: countChanges(verdicts) };
    });
    return { name, points, rows, flaky: rows.filter(({ changes }) => changes >= 2) };
  });
}

function worstOf(target: TargetResult, id: string): ShownVerdict | null {
  const verdicts = target.requirements.filter((one) => one.id === id).map(shownVerdict);
  return SHOWN_VERDICTS.find((verdict) => verdicts.includes(verdict)) ?? null;
}

function countChanges(verdicts: Row['verdicts']): number {
  const decided = verdicts.filter((verdict) => verdict === 'pass' || verdict === 'fail');
  return decided.filter((verdict, index) => index > 0 && verdict !== decided[index - 1]).length;
}

const CHART_HEIGHT = 180;

const SERIES = [
  { label: 'median', tone: 'neutral', percentile: 'p50' },
  { label: '95 %', tone: 'odd', percentile: 'p95' },
] as const;

function latencyTrend(points: readonly Point[]): Chart {
  return {
    title: 'Latency',
    description: 'Median and 95th percentile of the answers of each run.',
    drawing: lines(points.map(({ target }) => target.traffic.latencyMs)),
    legend: SERIES.map(({ label, tone }) => ({ label, tone, shape: 'circle' })),
    columns: ['run', ...SERIES.map(({ label }) => label)],
    rows: points.map(({ id, target }) => [
      id,
      ...SERIES.map(({ percentile }) => milliseconds(target.traffic.latencyMs[percentile])),
    ]),
  };
}

/** A line per percentile over the numbers of the runs. */
function lines(latencies: readonly Traffic['latencyMs'][]) {
  const x = linearAxis('run', latencies.length, 'count');
  const y = linearAxis('milliseconds', Math.max(...latencies.flatMap(({ p50, p95 }) => [p50, p95])), 'scale');
  const xOf = (run: number): string => percent(run + 1, x);
  const yOf = (value: number): number => Number((CHART_HEIGHT * (1 - value / y.max)).toFixed(1));
  return (
    <Plot x={x} y={y} height={CHART_HEIGHT}>
      {SERIES.map(({ label, tone, percentile }) => {
        const heights = latencies.map((latency) => yOf(latency[percentile]));
        return (
          <g key={label}>
            {heights.slice(1).map((height, index) => (
              <line
                key={index}
                class={`trend ${tone}`}
                x1={xOf(index)}
                y1={heights[index]}
                x2={xOf(index + 1)}
                y2={height}
              />
            ))}
            {heights.map((height, index) => (
              <Mark key={index} x={xOf(index)} y={height} shape="circle" tone={tone} />
            ))}
          </g>
        );
      })}
    </Plot>
  );
}
