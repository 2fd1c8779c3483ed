import { withCommas } from '../../core/number-format.ts';
import type { TargetResult } from '../../core/results.ts';
import { OUTCOMES } from '../../core/verdict.ts';
import { milliseconds, plural, recordWords } from '../phrases.ts';
import { visible } from '../safe-text.ts';
import { isOverview } from '../target-selection.ts';
import type { PageContext } from './page-context.ts';

const TARGETS_SHOWN = 6;

/** Targets, time, suite, seed and number of requests. */
export function Facts({ context }: { readonly context: PageContext }) {
  const { results } = context.data;
  const { run, targets } = results;
  const shown = isOverview(results) ? [] : targets.slice(0, TARGETS_SHOWN);
  const took = Date.parse(run.finishedAt) - Date.parse(run.startedAt);
  const requests = targets.reduce((sum, { traffic }) => sum + traffic.requests, 0);
  return (
    <dl class="facts">
      {shown.map((target) => (
        <div key={target.name}>
          <dt>Target</dt>
          <dd>
            <b>{visible(target.name)}</b>
            {context.several ? <span class={`outcome ${target.outcome}`}> {target.outcome}</span> : null}
            <br />
            <span class="muted">{visible(target.baseUrl)}</span>, {recordWords(target)}
          </dd>
        </div>
      ))}
      {targets.length > shown.length ? (
        <div>
          <dt>Targets</dt>
          <dd>
            {withCommas(targets.length)} in total
            {shown.length > 0 ? null : `: ${outcomeWords(targets)}`}
          </dd>
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
        <dt>Traffic</dt>
        <dd>{plural(requests, 'request')}</dd>
      </div>
    </dl>
  );
}

/** `3 non-conformant, 29 conformant`. */
function outcomeWords(targets: readonly TargetResult[]): string {
  return OUTCOMES.map(
    (outcome) => [outcome, targets.filter((one) => one.outcome === outcome).length] as const,
  )
    .filter(([, number]) => number > 0)
    .map(([outcome, number]) => `${withCommas(number)} ${outcome}`)
    .join(', ');
}

function moment(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return visible(iso);
  return `${date.toISOString().slice(0, 10)} ${date.toISOString().slice(11, 19)} UTC`;
}
