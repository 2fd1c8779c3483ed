import type { ComponentChildren } from 'preact';
import { groupBy } from '../../core/maps.ts';
import { isOpenFailure, isWaived } from '../../core/verdict.ts';
import type { TargetCharts } from '../charts/plot.tsx';
import { detailedTargets, type Finding, findingsOf, isOverview } from '../findings.ts';
import { Charts, chartsOf } from '../html/charts.tsx';
import { Footer, renderDocument } from '../html/document.tsx';
import { EvidenceBrowser } from '../html/evidence.tsx';
import { Failures, Reasons } from '../html/findings.tsx';
import { Matrix } from '../html/matrix.tsx';
import { Observations } from '../html/observations.tsx';
import { Contents, Environment, Overview, TrafficTable } from '../html/overview.tsx';
import { PageProvider, pageContextOf } from '../html/page-context.ts';
import { script } from '../html/script.ts';
import { Targets } from '../html/targets.tsx';
import type { EvidenceViews, ReportData } from '../report-data.ts';
import { stampOf } from '../wording/headline.ts';
import { plural, visible } from '../wording/phrases.ts';

/** In an overview, most failures of a target that are shown with their proof. */
const MAX_FAILURES = 6;

/**
 * report.html: one self-contained page, printable, dark and light, that loads nothing and is complete without
 * script. Charts need evidence. A run of many targets is shown as an overview.
 */
export async function renderHtml(data: ReportData): Promise<string> {
  const { results } = data;
  const many = isOverview(results);
  const names = results.targets.map((target) => visible(target.name)).join(', ');
  const title = `${stampOf(results)}: ${many ? plural(results.targets.length, 'target') : names}`;
  return renderDocument({
    title,
    script,
    content: many ? <ManyTargets data={data} /> : <Report data={data} />,
  });
}

function Report({ data }: { readonly data: ReportData }) {
  const { results } = data;
  // A smoke run without failures has too few pages for charts.
  const isQuick = results.run.suite === 'smoke' && results.outcome !== 'non-conformant';
  const charts = isQuick ? [] : chartsOf(data);
  const failed = findingsOf(results, isOpenFailure);
  return (
    <Page data={data} charts={charts} proven={failed}>
      <Failures id="failures" title="Failed" findings={failed} />
      <Reasons verdict="error" />
      <Reasons verdict="inconclusive" />
      <Failures id="waived" title="Waived failures" findings={findingsOf(results, isWaived)} />
      <Charts charts={charts} />
      <Matrix />
      <Reasons verdict="skipped" />
      <Observations />
      <TrafficTable />
    </Page>
  );
}

/**
 * The report of a run of many targets: a table of targets, the failures of the worst targets with proof, and
 * verdicts grouped by reason. It states what it omits and which command shows it.
 */
function ManyTargets({ data }: { readonly data: ReportData }) {
  const failed = findingsOf(data.results, isOpenFailure);
  const shown = shownOf(failed, new Set(detailedTargets(data.results)));
  const left = failed.length - shown.length;
  return (
    <Page data={{ ...data, evidence: citedIn(data.evidence, shown) }} charts={[]} proven={shown}>
      <Targets />
      <Failures id="failures" title="Failed" findings={shown} of={failed.length} />
      {left === 0 ? null : (
        <p class="notice">
          {plural(left, 'further failure')} {left === 1 ? 'is' : 'are'} not shown with evidence.
        </p>
      )}
      <Reasons verdict="error" />
      <Reasons verdict="inconclusive" />
      <Reasons verdict="skipped" />
    </Page>
  );
}

interface PageProps {
  readonly data: ReportData;
  readonly charts: readonly TargetCharts[];
  /** Failures that are shown with their proof. */
  readonly proven: readonly Finding[];
  readonly children: ComponentChildren;
}

/** What every report has around its own sections. */
function Page({ data, charts, proven, children }: PageProps) {
  const { results } = data;
  return (
    <PageProvider value={pageContextOf(data, proven)}>
      <a class="skip-link" href="#main">
        Skip to the findings
      </a>
      <Contents charts={charts.length} />
      <Overview />
      <main id="main">
        {children}
        <EvidenceBrowser />
        <Environment />
      </main>
      <Footer results={results} />
    </PageProvider>
  );
}

/** The first failures of each of these targets. */
function shownOf(failed: readonly Finding[], targets: ReadonlySet<Finding['target']>): readonly Finding[] {
  const counts = new Map<Finding['target'], number>();
  return failed.filter(({ target }) => {
    const count = (counts.get(target) ?? 0) + 1;
    counts.set(target, count);
    return targets.has(target) && count <= MAX_FAILURES;
  });
}

function citedIn(evidence: EvidenceViews, findings: readonly Finding[]): EvidenceViews {
  const views = [...groupBy(findings, ({ target }) => target.name)].map(([name, own]) => {
    const violations = own.flatMap(({ result }) => result.violations);
    const cited = new Set(violations.flatMap(({ exchanges }) => exchanges));
    return [name, evidence.get(name)?.filter(({ number }) => cited.has(number)) ?? []] as const;
  });
  return new Map(views.filter(([, shown]) => shown.length > 0));
}
