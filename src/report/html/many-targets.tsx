import { groupBy } from '../../core/group-by.ts';
import { withCommas } from '../../core/number-format.ts';
import type { RequirementResult } from '../../core/results.ts';
import { countVerdicts, type Finding, findingsOf, isOpenFailure, isWaived } from '../findings.ts';
import type { EvidenceViews, ReportData } from '../report-data.ts';
import { detailedTargets } from '../target-selection.ts';
import { plural } from '../wording/phrases.ts';
import { visible } from '../wording/safe-text.ts';
import { Contents } from './contents.tsx';
import { Footer } from './document.tsx';
import { Environment } from './environment.tsx';
import { EvidenceBrowser } from './evidence.tsx';
import { Failures } from './failures.tsx';
import { ObservationsAcross } from './observations.tsx';
import { Overview } from './overview.tsx';
import { type PageContext, pageContextOf } from './page-context.ts';
import { ReasonsAcross } from './reasons.tsx';
import { Columns, Scroll } from './table-parts.tsx';
import { Targets } from './targets.tsx';
import { Tally } from './verdict-chip.tsx';

/** Most targets that are listed by name; the others are counted. */
const MAX_NAMED = 6;

/** Failures per target that are shown with their proof. */
const MAX_FAILURES = 6;

/**
 * The report of a run of many targets: a table of targets, a table of requirements, verdicts grouped by
 * reason, and the failures of the worst targets with proof. It states what it omits and which command shows
 * it.
 */
export function ManyTargets({ data }: { readonly data: ReportData }) {
  const { results } = data;
  const by = (verdict: string) => findingsOf(results, (one) => one.verdict === verdict);
  const failed = findingsOf(results, isOpenFailure);
  const shown = shownOf(failed, new Set(detailedTargets(results)));
  const evidence = citedIn(data.evidence, shown);
  const context = pageContextOf({ ...data, evidence });
  const cards = new Set(shown.map(({ result }) => result));
  const left = failed.length - shown.length;
  return (
    <>
      <a class="skip-link" href="#main">
        Skip to the findings
      </a>
      <Contents context={context} charts={0} />
      <Overview context={context} />
      <main id="main">
        <Targets context={context} cards={cards} />
        <AcrossTargets context={context} cards={cards} />
        <Failures context={context} id="failures" title="Failed" findings={shown} of={failed.length} />
        {left === 0 ? null : (
          <p class="notice">
            {plural(left, 'further failure')} {left === 1 ? 'is' : 'are'} not shown with evidence.
          </p>
        )}
        <ReasonsAcross id="errors" title="Could not be carried out" findings={by('error')} />
        <ReasonsAcross id="inconclusive" title="Inconclusive" findings={by('inconclusive')} />
        <ReasonsAcross
          id="waived"
          title="Waived failures"
          findings={findingsOf(results, isWaived)}
          reasonOf={({ waiver }) => `${waiver?.reason} (until ${waiver?.until})`}
        />
        <ReasonsAcross id="skipped" title="Skipped" findings={by('skipped')} />
        <ObservationsAcross data={data} />
        <EvidenceBrowser context={context} />
        <Environment results={results} />
      </main>
      <Footer results={results} />
    </>
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

/** Exchanges that these failures cite. */
function citedIn(evidence: EvidenceViews, findings: readonly Finding[]): EvidenceViews {
  const cited = new Map<string, Set<number>>();
  for (const { target, result } of findings) {
    const numbers = cited.get(target.name) ?? new Set();
    for (const { exchanges } of result.violations) for (const number of exchanges) numbers.add(number);
    cited.set(target.name, numbers);
  }
  return new Map(
    [...cited]
      .map(
        ([name, numbers]) =>
          [name, evidence.get(name)?.filter((one) => numbers.has(one.number)) ?? []] as const,
      )
      .filter(([, views]) => views.length > 0),
  );
}

/** Every requirement with its verdicts over all targets, and the first targets that fail it. */
function AcrossTargets({
  context,
  cards,
}: {
  readonly context: PageContext;
  /** Failures that are shown with their proof. */
  readonly cards: ReadonlySet<RequirementResult>;
}) {
  const { targets } = context.data.results;
  const rows = groupBy(
    targets.flatMap(({ requirements }) => requirements),
    ({ id }) => id,
  );
  const broken = groupBy(findingsOf(context.data.results, isOpenFailure), ({ result }) => result.id);
  return (
    <section id="requirements" aria-labelledby="requirements-title">
      <h2 id="requirements-title">Requirements across targets</h2>
      <Scroll name="Requirements across targets">
        <table class="across stacked">
          <colgroup>
            <col class="of-requirement" />
            <col class="of-tallies" />
            <col />
          </colgroup>
          <Columns names={['requirement', 'verdicts', 'broken by']} />
          <tbody>
            {[...rows].map(([id, verdicts]) => (
              <tr key={id}>
                <th scope="row">{visible(id)}</th>
                <td>
                  <Tally counts={countVerdicts(verdicts)} />
                </td>
                <td data-name="broken by">
                  <BrokenBy context={context} cards={cards} findings={broken.get(id) ?? []} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

function BrokenBy({
  context,
  cards,
  findings,
}: {
  readonly context: PageContext;
  readonly cards: ReadonlySet<RequirementResult>;
  readonly findings: readonly Finding[];
}) {
  const byTarget = [...new Map(findings.map((one) => [one.target, one]))];
  const more = byTarget.length - MAX_NAMED;
  return (
    <>
      {byTarget.slice(0, MAX_NAMED).map(([target, { result }], index) => (
        <span key={target.name}>
          {index > 0 ? ', ' : ''}
          {cards.has(result) ? (
            <a href={`#${context.failureAnchor(result)}`}>{visible(target.name)}</a>
          ) : (
            visible(target.name)
          )}
        </span>
      ))}
      {more > 0 ? ` and ${withCommas(more)} more` : ''}
    </>
  );
}
