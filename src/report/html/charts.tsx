import { withCommas } from '../../core/number-format.ts';
import { type Chart, Mark, type TargetCharts } from '../charts/plot.tsx';
import { listsOf, traversalChart } from '../charts/traversal.tsx';
import { READ_BODIES } from '../evidence/exchange-views.ts';
import { brokenTargets } from '../findings.ts';
import type { ExchangeView, ReportData } from '../report-data.ts';
import { visible } from '../wording/phrases.ts';
import { usePage } from './page-context.ts';
import { Section, Table } from './parts.tsx';

/** Most targets, and lists of a target, that are drawn: more would make the page too long to read. */
const MAX_TARGETS = 4;
const MAX_LISTS = 3;

/** Most rows in a chart's table: all rows of a large run would make the page too long. */
const MAX_ROWS = 60;

/** Nothing if there is no chart. */
export function Charts({ charts: byTarget }: { readonly charts: readonly TargetCharts[] }) {
  const { several } = usePage();
  if (byTarget.length === 0) return null;
  return (
    <Section id="charts" title="Charts">
      {byTarget.map(({ target, charts }) => (
        <div key={target}>
          {several ? <h3 class="charts-of">{visible(target)}</h3> : null}
          <div class="charts">
            {charts.map((one) => (
              <ChartFigure key={one.title} chart={one} />
            ))}
          </div>
        </div>
      ))}
    </Section>
  );
}

export function ChartFigure({ chart }: { readonly chart: Chart }) {
  const { title, description, drawing, legend, columns, rows } = chart;
  const hiddenRows = rows.length - MAX_ROWS;
  return (
    <figure>
      <figcaption>
        <b>{visible(title)}</b>
        <span>{visible(description)}</span>
      </figcaption>
      {legend.length === 0 ? null : (
        <ul class="legend">
          {legend.map(({ label, tone, shape }) => (
            <li key={label}>
              <svg class="chart-key" viewBox="-6 -6 12 12" aria-hidden="true">
                <Mark x="0" y={0} shape={shape} tone={tone} />
              </svg>
              {label}
            </li>
          ))}
        </ul>
      )}
      <div class="drawing" role="img" aria-label={`${visible(title)}. ${visible(description)}`}>
        {drawing}
      </div>
      <details>
        <summary>Data as a table</summary>
        <Table name={`${visible(title)}, as a table`} class="data" columns={columns}>
          {rows.slice(0, MAX_ROWS).map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={columns[column]}>{typeof cell === 'string' ? visible(cell) : cell}</td>
              ))}
            </tr>
          ))}
        </Table>
        {hiddenRows > 0 ? <p class="muted">and {withCommas(hiddenRows)} more rows</p> : null}
      </details>
    </figure>
  );
}

/** The charts of a run, in display order. With many targets, only those of non-conformant ones. */
export function chartsOf({ results, evidence }: ReportData): readonly TargetCharts[] {
  const targets = results.targets.length > MAX_TARGETS ? brokenTargets(results) : results.targets;
  return targets
    .slice(0, MAX_TARGETS)
    .map(({ name }) => ({ target: name, charts: targetCharts(evidence.get(name) ?? []) }))
    .filter(({ charts }) => charts.length > 0);
}

function targetCharts(views: readonly ExchangeView[]): readonly Chart[] {
  const lists = [...listsOf(views)].slice(0, MAX_LISTS);
  return lists.flatMap(([path, pages]) => {
    const chart = traversalChart(pages, views);
    if (chart === null) return [];
    return {
      ...chart,
      title: lists.length === 1 ? chart.title : `${chart.title}: ${visible(path)}`,
      description:
        views.length > READ_BODIES
          ? `Drawn from the first ${READ_BODIES} of ${withCommas(views.length)} exchanges. ${chart.description}`
          : chart.description,
    };
  });
}
