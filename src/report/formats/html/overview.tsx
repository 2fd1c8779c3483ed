import type { TargetResult } from '../../../core/results.ts';
import { countVerdicts, countWords, findingsOf, isOpenFailure, isWaived } from '../../digest.ts';
import { visible } from '../../safe-text.ts';
import { milliseconds, outcomeSentence, plural, recordWords } from '../../words.ts';
import { type Frame, keyOfFinding } from './frame.ts';
import { signOf } from './words.tsx';

const CAUSES_SHOWN = 6;

/** What stands above the fold: the outcome, what is broken in a line each, and the facts of the run. */
export function Overview({ frame }: { readonly frame: Frame }) {
  const { results, prove } = frame.data;
  const requirements = results.targets.flatMap((target) => target.requirements);
  const failures = findingsOf(results, isOpenFailure);
  return (
    <header class="overview" id="top">
      <p class="brand">
        <b>Assay</b> conformance report
      </p>
      <div class="hero">
        <div class="verdict">
          <h1 class={`stamp ${results.outcome}`}>{results.outcome}</h1>
          <p class="lead">{outcomeSentence(results.outcome, requirements)}</p>
          {results.run.complete ? null : (
            <p class="notice">The run was interrupted before every requirement was judged.</p>
          )}
          <ul class="counts">
            {countWords(countVerdicts(requirements)).map(({ verdict, words }) => (
              <li key={verdict} class={verdict}>
                <span aria-hidden="true">{signOf(verdict)}</span> {words}
              </li>
            ))}
          </ul>
          {prove === null ? null : (
            <p class="proof">
              The harness itself: {prove.found.toLocaleString('en-US')} of{' '}
              {plural(prove.defects, 'planted defect')} found, {prove.false.toLocaleString('en-US')} false,
              with {plural(prove.variants, 'conforming variant')} judged beside them.
            </p>
          )}
        </div>
        <Facts frame={frame} />
      </div>
      {failures.length === 0 ? null : (
        <div class="causes">
          <h2>What is broken</h2>
          <ol>
            {failures.slice(0, CAUSES_SHOWN).map((finding) => (
              <li key={keyOfFinding(finding)}>
                <a href={`#${frame.failureAnchor(finding.result)}`}>{finding.label}</a>{' '}
                {visible(finding.result.violations[0]?.message ?? finding.result.reason ?? '')}
              </li>
            ))}
          </ol>
          {failures.length > CAUSES_SHOWN ? (
            <p class="muted">
              and {plural(failures.length - CAUSES_SHOWN, 'further failure')},{' '}
              <a href="#failures">all below</a>
            </p>
          ) : null}
        </div>
      )}
      <div class="strips">
        {results.targets.map((target) => (
          <Strip key={target.name} frame={frame} target={target} />
        ))}
      </div>
    </header>
  );
}

function Facts({ frame }: { readonly frame: Frame }) {
  const { run, targets } = frame.data.results;
  const took = Date.parse(run.finishedAt) - Date.parse(run.startedAt);
  const requests = targets.reduce((sum, { traffic }) => sum + traffic.requests, 0);
  return (
    <dl class="facts">
      {targets.slice(0, 6).map((target) => (
        <div key={target.name}>
          <dt>Target</dt>
          <dd>
            <b>{visible(target.name)}</b>
            {frame.several ? <span class={`outcome ${target.outcome}`}> {target.outcome}</span> : null}
            <br />
            <span class="muted">{visible(target.baseUrl)}</span>
            <br />
            {recordWords(target)}
          </dd>
        </div>
      ))}
      {targets.length > 6 ? (
        <div>
          <dt>Targets</dt>
          <dd>{targets.length} in all</dd>
        </div>
      ) : null}
      <div>
        <dt>When</dt>
        <dd>
          <time dateTime={run.startedAt}>{moment(run.startedAt)}</time>
          {Number.isFinite(took) ? <>, took {milliseconds(Math.max(0, took))}</> : null}
        </dd>
      </div>
      <div>
        <dt>Suite</dt>
        <dd>
          {run.suite}, seed {run.seed}
        </dd>
      </div>
      <div>
        <dt>Cost</dt>
        <dd>{plural(requests, 'request')}</dd>
      </div>
    </dl>
  );
}

/** One tile per verdict: the whole run at a glance, each tile a link to its row. */
function Strip({ frame, target }: { readonly frame: Frame; readonly target: TargetResult }) {
  if (target.requirements.length === 0) return null;
  return (
    <nav class="strip" aria-label={`Every verdict: ${visible(target.name)}`}>
      {frame.several ? <b>{visible(target.name)}</b> : null}
      <ul>
        {target.requirements.map((result) => {
          const words = `${visible(result.id)}: ${result.verdict}${isWaived(result) ? ', waived' : ''}`;
          return (
            <li key={`${result.id} ${result.resource}`}>
              <a
                class={`tile ${isWaived(result) ? 'inconclusive' : result.verdict}`}
                href={`#${frame.rowAnchor(result)}`}
                title={words}
              >
                <span aria-hidden="true">{signOf(result.verdict)}</span>
                <span class="unseen">{words}</span>
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function moment(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return visible(iso);
  return `${date.toISOString().slice(0, 10)} ${date.toISOString().slice(11, 19)} UTC`;
}
