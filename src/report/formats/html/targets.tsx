import { withCommas } from '../../../core/number-format.ts';
import type { RequirementResult, Results, TargetResult } from '../../../core/results.ts';
import { brokenTargets, detailedTargets, targetsInNeed, worstFinding } from '../../attention.ts';
import { countVerdicts, isWaived } from '../../digest.ts';
import { excerpt, visible } from '../../safe-text.ts';
import { milliseconds, plural, recordWords } from '../../words.ts';
import { Columns } from './columns.tsx';
import type { Frame } from './frame.ts';
import { Scroll } from './scroll.tsx';
import { Tally } from './tally.tsx';
import { sentence } from './words.tsx';

interface PartsProps {
  readonly frame: Frame;
  /** Failures that are shown with their proof. */
  readonly cards: ReadonlySet<RequirementResult>;
}

/** Characters of the gravest finding that a row holds. */
const FINDING = 140;

/**
 * The targets of a run of many, a row each: first those that a reader has to look at, then the conformant ones, which
 * are folded. It says what of them the page leaves out, and the command that shows it.
 */
export function Targets({ frame, cards }: PartsProps) {
  const inNeed = targetsInNeed(frame.data.results);
  const fine = frame.data.results.targets.filter((target) => !inNeed.includes(target));
  return (
    <section id="targets" aria-labelledby="targets-title">
      <h2 id="targets-title">Targets</h2>
      <p>{scopeWords(frame.data.results)}</p>
      <p class="muted">
        <code>assay report RUN --target NAME --open</code> shows any target whole, with all its evidence; RUN
        is the folder in which this page lies.
      </p>
      {inNeed.length === 0 ? null : (
        <TargetTable frame={frame} cards={cards} name="Targets that need attention" targets={inNeed} />
      )}
      {fine.length === 0 ? null : (
        <details class="fold" open={inNeed.length === 0}>
          <summary>{withCommas(fine.length)} conformant</summary>
          <TargetTable frame={frame} cards={cards} name="Conformant targets" targets={fine} />
        </details>
      )}
    </section>
  );
}

function scopeWords(results: Results): string {
  const all = `A run of ${withCommas(results.targets.length)} targets is shown in overview`;
  const shown = detailedTargets(results).length;
  const broken = brokenTargets(results).length;
  if (shown === 0) return `${all}: no requests and answers, for there is no failure to prove.`;
  const which =
    broken > shown
      ? `the first ${shown} of ${withCommas(broken)} non-conformant targets`
      : plural(broken, 'non-conformant target');
  return `${all}. Failures are proven below for ${which}.`;
}

function TargetTable({
  frame,
  cards,
  name,
  targets,
}: PartsProps & { readonly name: string; readonly targets: readonly TargetResult[] }) {
  return (
    <Scroll name={name}>
      <table class="targets">
        <colgroup>
          <col class="of-target" />
          <col class="of-outcome" />
          <col class="of-tallies" />
          <col />
          <col class="of-number" />
          <col class="of-number" />
        </colgroup>
        <Columns
          names={['target', 'outcome', 'verdicts', 'gravest finding']}
          numbers={['requests', '95 %']}
        />
        <tbody>
          {targets.map((target) => (
            <Row key={target.name} frame={frame} cards={cards} target={target} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Row({ frame, cards, target }: PartsProps & { readonly target: TargetResult }) {
  const { requests, latencyMs } = target.traffic;
  return (
    <tr>
      <th scope="row">
        {visible(target.name)}
        <div class="muted">
          {visible(target.baseUrl)}, {recordWords(target)}
        </div>
      </th>
      <td class={`outcome ${target.outcome}`}>{target.outcome}</td>
      <td>
        <Tally counts={countVerdicts(target.requirements)} />
      </td>
      <td class="finding">
        <Gravest frame={frame} cards={cards} target={target} />
      </td>
      <td class="number" data-name="requests">
        {withCommas(requests)}
      </td>
      <td class="number" data-name="95 %">
        {milliseconds(latencyMs.p95)}
      </td>
    </tr>
  );
}

function Gravest({ frame, cards, target }: PartsProps & { readonly target: TargetResult }) {
  const worst = worstFinding(target);
  if (worst === null) return null;
  const words = excerpt(worst.violations[0]?.message ?? worst.reason ?? '', FINDING);
  const id = visible(worst.id);
  return (
    <>
      {cards.has(worst) ? <a href={`#${frame.failureAnchor(worst)}`}>{id}</a> : <b>{id}</b>}
      {isWaived(worst) ? <span class="muted">, waived</span> : null} <div>{sentence(words)}</div>
    </>
  );
}
