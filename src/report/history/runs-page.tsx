import { groupBy } from '../../core/maps.ts';
import type { Verdict } from '../../core/verdict.ts';
import { type Counts, countVerdicts } from '../findings.ts';
import { renderDocument } from '../html/document.tsx';
import { CountList, Table, Tally, VerdictChip } from '../html/parts.tsx';
import type { ShownOutcome } from '../wording/headline.ts';
import { plural, sentence, timeWords, visible } from '../wording/phrases.ts';

export interface FinishedRun {
  readonly name: string;
  readonly at: string;
  readonly outcome: ShownOutcome;
  readonly targets: readonly string[];
  readonly counts: Counts;
}

export interface RunningTarget {
  readonly name: string;
  readonly requirements: number;
  readonly requests: number;
  readonly verdicts: readonly {
    readonly id: string;
    readonly verdict: Verdict;
    readonly reason: string | null;
  }[];
}

/** The input of the page of all runs; URLs are relative to the page. */
export interface RunsPage {
  readonly running: readonly { readonly name: string; readonly targets: readonly RunningTarget[] }[];
  readonly finished: readonly FinishedRun[];
}

/** Verdicts of a run in progress that are shown with reasons, in this order. */
const SHOWN_VERDICTS: readonly Verdict[] = ['fail', 'error', 'inconclusive'];

/** Replaces the main element by the current one, keeps the focus, and announces the outcome of a run once. */
const script = `
'use strict';
(() => {
  const parse = (text) => new DOMParser().parseFromString(text, 'text/html').querySelector('main');
  const hrefs = (main) => [...main.querySelectorAll('tbody a')].map((link) => link.getAttribute('href'));
  const state = document.getElementById('state');
  const update = (drawn) => {
    const main = document.querySelector('main');
    if (drawn.outerHTML === main.outerHTML) return;
    const before = new Set(hrefs(main));
    const ended = [...drawn.querySelectorAll('tbody tr')].filter(
      (row) => !before.has(row.querySelector('a').getAttribute('href')),
    );
    const focused = document.activeElement?.getAttribute('href') ?? null;
    main.replaceWith(drawn);
    if (focused !== null)
      [...drawn.querySelectorAll('a')].find((link) => link.getAttribute('href') === focused)?.focus();
    if (ended.length > 0) document.getElementById('ended').textContent = ended[0].textContent;
  };
  const poll = async () => {
    try {
      update(parse(await (await fetch('')).text()));
      state.textContent = 'live';
    } catch {
      state.textContent = 'the server stopped';
    }
    setTimeout(poll, 500);
  };
  poll();
})();
`;

/** The page of a folder of runs: running ones first, updated live by the script. */
export function renderRunsPage(page: RunsPage): string {
  const content = (
    <>
      <header class="overview">
        <p class="brand">
          <b>Assay</b> runs <span id="state" />
        </p>
        <p class="unseen" id="ended" role="status" />
      </header>
      <Runs page={page} />
    </>
  );
  return renderDocument({ title: 'Assay: runs', script, connects: true, content });
}

function Runs({ page: { running, finished } }: { readonly page: RunsPage }) {
  return (
    <main>
      <h1>
        {running.length === 0 ? '' : `${plural(running.length, 'run')} in progress, `}
        {plural(finished.length, 'run')} finished
      </h1>
      {running.map((run) => (
        <section key={run.name} aria-label={`Running: ${visible(run.name)}`}>
          <h2>Running: {visible(run.name)}</h2>
          {run.targets.map((target) => (
            <Running key={target.name} target={target} />
          ))}
        </section>
      ))}
      <section aria-labelledby="finished">
        <h2 id="finished">Finished</h2>
        {finished.length === 0 ? (
          <p class="muted">No finished run yet. Start one with assay run; it appears here automatically.</p>
        ) : (
          <Finished runs={finished} />
        )}
      </section>
    </main>
  );
}

function Running({ target }: { readonly target: RunningTarget }) {
  const { verdicts, requirements, requests } = target;
  const groups = reasonGroupsOf(target);
  return (
    <div class={verdicts.some(({ verdict }) => verdict === 'fail') ? 'card' : 'card waived'}>
      <h3>{visible(target.name)}</h3>
      <p class="progress">
        <progress max={requirements} value={verdicts.length} aria-label="requirements judged" />{' '}
        {verdicts.length} of {plural(requirements, 'requirement')} judged, {plural(requests, 'request')}
      </p>
      <CountList counts={countVerdicts(verdicts.map(({ verdict }) => ({ verdict, waiver: null })))} />
      {groups.length === 0 ? null : (
        <ul class="arrived">
          {groups.map(({ verdict, reason, ids }) => (
            <li key={`${verdict} ${reason}`}>
              <VerdictChip verdict={verdict} /> {sentence(visible(reason))}
              <div class="muted">
                <code>{ids.map(visible).join('  ')}</code>
              </div>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function reasonGroupsOf({ verdicts }: RunningTarget) {
  const groups = groupBy(verdicts, ({ verdict, reason }) => `${verdict} ${reason}`);
  return SHOWN_VERDICTS.flatMap((shown) =>
    [...groups.values()]
      .filter(([{ verdict }]) => verdict === shown)
      .map((same) => ({ verdict: shown, reason: same[0].reason ?? '', ids: same.map(({ id }) => id) })),
  );
}

function Finished({ runs }: { readonly runs: readonly FinishedRun[] }) {
  return (
    <Table name="Finished runs" class="runs" columns={['outcome', 'run', 'targets', 'verdicts']}>
      {runs.map((run) => (
        <tr key={run.name}>
          <td>
            <b class={run.outcome.style}>{run.outcome.words}</b>
          </td>
          <th scope="row">
            <a href={`runs/${encodeURIComponent(run.name)}/report.html`}>{visible(run.name)}</a>
            <div class="muted">
              <time dateTime={run.at}>{`${timeWords(run.at, 'second')} UTC`}</time>
            </div>
          </th>
          <td>{run.targets.map(visible).join(', ')}</td>
          <td>
            <Tally counts={run.counts} named />
          </td>
        </tr>
      ))}
    </Table>
  );
}
