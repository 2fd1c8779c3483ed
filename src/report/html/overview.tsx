import { withCommas } from '../../core/number-format.ts';
import { countVerdicts, countWords, findingsOf, isOpenFailure } from '../findings.ts';
import { headline, stampOf, stampStyle } from '../headline.ts';
import { INCOMPLETE, plural, sentence } from '../phrases.ts';
import { visible } from '../safe-text.ts';
import { type SummaryLine, summaryOf } from '../summary.ts';
import { isOverview } from '../target-selection.ts';
import { keyOfFinding, type PageContext } from './page-context.ts';
import { Facts } from './run-facts.tsx';
import { signOf } from './verdict-chip.tsx';
import { Strip } from './verdict-strip.tsx';

const CAUSES_SHOWN = 6;

/** The head of the page: the outcome, one line per failure, and the facts of the run. */
export function Overview({ context }: { readonly context: PageContext }) {
  const { results, prove } = context.data;
  const requirements = results.targets.flatMap((target) => target.requirements);
  return (
    <header class="overview" id="top">
      <div class="hero">
        <div class="verdict">
          <h1 class={`stamp ${stampStyle(results)}`}>{stampOf(results)}</h1>
          <p class="lead">{headline(results)}</p>
          {results.run.complete ? null : <p class="notice">{INCOMPLETE}</p>}
          <ul class="counts">
            {countWords(countVerdicts(requirements)).map(({ counted, words }) => (
              <li key={counted} class={counted}>
                <span aria-hidden="true">{signOf(counted)}</span> {words}
              </li>
            ))}
          </ul>
        </div>
        <Facts context={context} />
      </div>
      <Summary lines={summaryOf(results)} />
      {isOverview(results) ? null : (
        <>
          <Causes context={context} />
          <div class="strips">
            {results.targets.map((target) => (
              <Strip key={target.name} context={context} target={target} />
            ))}
          </div>
        </>
      )}
      {prove === null ? null : (
        <p class="proof">
          Self-test: {withCommas(prove.found)} of {plural(prove.defects, 'planted defect')} found,{' '}
          {withCommas(prove.false)} false.
        </p>
      )}
    </header>
  );
}

/** The summary for readers who do not know the requirements. */
function Summary({ lines }: { readonly lines: readonly SummaryLine[] }) {
  if (lines.length === 0) return null;
  return (
    <section class="summary" aria-label="Summary">
      <dl>
        {lines.map(({ title, text }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

// A single failure follows directly with its proof, so a list of one is redundant.
function Causes({ context }: { readonly context: PageContext }) {
  const failures = findingsOf(context.data.results, isOpenFailure);
  if (failures.length < 2) return null;
  return (
    <div class="causes">
      <h2>Failures</h2>
      <ol>
        {failures.slice(0, CAUSES_SHOWN).map((finding) => (
          <li key={keyOfFinding(finding)}>
            <a href={`#${context.failureAnchor(finding.result)}`}>{finding.label}</a>{' '}
            <span>
              {sentence(visible(finding.result.violations[0]?.message ?? finding.result.reason ?? ''))}
            </span>
          </li>
        ))}
      </ol>
      {failures.length > CAUSES_SHOWN ? (
        <p class="muted">
          and {plural(failures.length - CAUSES_SHOWN, 'further failure')}, <a href="#failures">all below</a>
        </p>
      ) : null}
    </div>
  );
}
