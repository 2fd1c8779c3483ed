import type { Results } from '../../core/results.ts';
import type { TargetChart } from '../charts/plot.tsx';
import { findingsOf, isOpenFailure, isWaived } from '../findings.ts';
import { Charts, chartsOf } from '../html/charts.tsx';
import { Contents } from '../html/contents.tsx';
import { Footer, renderDocument } from '../html/document.tsx';
import { Environment } from '../html/environment.tsx';
import { EvidenceBrowser } from '../html/evidence.tsx';
import { Failures } from '../html/failures.tsx';
import { ManyTargets } from '../html/many-targets.tsx';
import { Matrix } from '../html/matrix.tsx';
import { Observations } from '../html/observations.tsx';
import { Overview } from '../html/overview.tsx';
import { type PageContext, pageContextOf } from '../html/page-context.ts';
import { Reasons } from '../html/reasons.tsx';
import { script } from '../html/script.ts';
import { TrafficTable } from '../html/traffic.tsx';
import { Waivers } from '../html/waivers.tsx';
import type { ReportData } from '../report-data.ts';
import { isOverview } from '../target-selection.ts';
import { stampOf } from '../wording/headline.ts';
import { plural } from '../wording/phrases.ts';
import { visible } from '../wording/safe-text.ts';

/**
 * report.html: one self-contained page, printable, dark and light, that loads nothing and is complete without
 * script. Charts need evidence. A run of many targets is shown as an overview.
 */
export async function renderHtml(data: ReportData): Promise<string> {
  if (isOverview(data.results)) {
    const title = overviewTitle(data.results);
    return renderDocument({ title, script, content: <ManyTargets data={data} /> });
  }
  const names = data.results.targets.map((target) => visible(target.name)).join(', ');
  // A smoke run without failures has too few pages for charts.
  const isQuick = data.results.run.suite === 'smoke' && data.results.outcome !== 'non-conformant';
  const charts = isQuick ? [] : chartsOf(data);
  const title = `${stampOf(data.results)}: ${names}`;
  return renderDocument({ title, script, content: <Report context={pageContextOf(data)} charts={charts} /> });
}

function overviewTitle(results: Results): string {
  return `${stampOf(results)}: ${plural(results.targets.length, 'target')}`;
}

function Report({
  context,
  charts,
}: {
  readonly context: PageContext;
  readonly charts: readonly TargetChart[];
}) {
  const { results } = context.data;
  const by = (verdict: string) => findingsOf(results, (one) => one.verdict === verdict);
  const failed = findingsOf(results, isOpenFailure);
  const waived = findingsOf(results, isWaived);
  return (
    <>
      <a class="skip-link" href="#main">
        Skip to the findings
      </a>
      <Contents context={context} charts={charts.length} />
      <Overview context={context} />
      <main id="main">
        <Failures context={context} id="failures" title="Failed" findings={failed} />
        <Reasons context={context} id="errors" title="Could not be carried out" findings={by('error')} />
        <Reasons context={context} id="inconclusive" title="Inconclusive" findings={by('inconclusive')} />
        <Failures context={context} id="waived" title="Waived failures" findings={waived} />
        <Charts context={context} charts={charts} />
        <Matrix context={context} />
        <Reasons context={context} id="skipped" title="Skipped" findings={by('skipped')} />
        <Observations context={context} />
        <Waivers context={context} findings={findingsOf(results, (one) => one.waiver !== null)} />
        <TrafficTable results={results} />
        <EvidenceBrowser context={context} />
        <Environment results={results} />
      </main>
      <Footer results={results} />
    </>
  );
}
