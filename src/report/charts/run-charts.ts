import { READ_BODIES } from '../evidence/exchange-views.ts';
import type { ExchangeView, ReportData } from '../report-data.ts';
import { visible } from '../safe-text.ts';
import { brokenTargets } from '../target-selection.ts';
import { latencyChart } from './latency.tsx';
import { type ListedPage, listsOf } from './list-pages.ts';
import { pageSizeChart } from './page-sizes.tsx';
import type { Chart, TargetChart } from './plot.tsx';
import { timelineChart } from './timeline.tsx';
import { traversalChart } from './traversal.tsx';

/** Most targets, and lists of a target, that are drawn: more would make the page too long to read. */
const MAX_TARGETS = 4;
const MAX_LISTS = 3;

/**
 * The charts of a run, from its evidence, in display order. With many targets, only those with a failure or
 * an error are drawn.
 */
export function chartsOf({ results, evidence }: ReportData): readonly TargetChart[] {
  const targets = results.targets.length > MAX_TARGETS ? brokenTargets(results) : results.targets;
  return targets
    .slice(0, MAX_TARGETS)
    .flatMap(({ name }) =>
      targetCharts(evidence.get(name) ?? []).map((chart) => ({ ...chart, target: name })),
    );
}

function targetCharts(views: readonly ExchangeView[]): readonly Chart[] {
  const startedAt = Math.min(...views.map((view) => view.startedAt));
  const lists = [...listsOf(views)].slice(0, MAX_LISTS);
  const perList = lists.flatMap(([path, pages]) =>
    listCharts(pages).map((chart) => ({
      ...chart,
      title: lists.length === 1 ? chart.title : `${chart.title}: ${visible(path)}`,
      description:
        views.length > READ_BODIES
          ? `Of the first ${READ_BODIES} exchanges. ${chart.description}`
          : chart.description,
    })),
  );
  return [...perList, timelineChart(views, startedAt)].filter((chart) => chart !== null);
}

function listCharts(pages: readonly ListedPage[]): readonly Chart[] {
  return [traversalChart(pages), pageSizeChart(pages), latencyChart(pages)].filter((chart) => chart !== null);
}
