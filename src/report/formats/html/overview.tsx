import { withCommas } from '../../../core/number-format.ts';
import { isOverview } from '../../attention.ts';
import { countVerdicts, countWords, findingsOf, isOpenFailure } from '../../digest.ts';
import { headline, stampOf, stampStyle } from '../../headline.ts';
import { visible } from '../../safe-text.ts';
import { INCOMPLETE, plural } from '../../words.ts';
import { Facts } from './facts.tsx';
import { type Frame, keyOfFinding } from './frame.ts';
import { Strip } from './strip.tsx';
import { sentence, signOf } from './words.tsx';

const CAUSES_SHOWN = 6;

/** What stands above the fold: the outcome, what is broken in a line each, and the facts of the run. */
export function Overview({ frame }: { readonly frame: Frame }) {
  const { results, prove } = frame.data;
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
        <Facts frame={frame} />
      </div>
      {isOverview(results) ? null : (
        <>
          <Causes frame={frame} />
          <div class="strips">
            {results.targets.map((target) => (
              <Strip key={target.name} frame={frame} target={target} />
            ))}
          </div>
        </>
      )}
      {prove === null ? null : (
        <p class="proof">
          The harness itself: {withCommas(prove.found)} of {plural(prove.defects, 'planted defect')} found,{' '}
          {withCommas(prove.false)} false, with {plural(prove.variants, 'conforming variant')} judged beside
          them.
        </p>
      )}
    </header>
  );
}

// A single failure stands right below with all its proof; a list of one would only push it down.
function Causes({ frame }: { readonly frame: Frame }) {
  const failures = findingsOf(frame.data.results, isOpenFailure);
  if (failures.length < 2) return null;
  return (
    <div class="causes">
      <h2>What is broken</h2>
      <ol>
        {failures.slice(0, CAUSES_SHOWN).map((finding) => (
          <li key={keyOfFinding(finding)}>
            <a href={`#${frame.failureAnchor(finding.result)}`}>{finding.label}</a>{' '}
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
