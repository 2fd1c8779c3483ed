import { renderToString } from 'preact-render-to-string';
import type { Outcome, Verdict } from '../core/verdict.ts';
import { countWords } from './digest.ts';
import { Document } from './formats/html/document.tsx';
import { style } from './formats/html/style.ts';
import { VerdictChip } from './formats/html/words.tsx';
import { visible } from './safe-text.ts';
import { plural } from './words.ts';

/** What the page of a folder of runs is made of; addresses are relative to the page. */
export interface RunsPage {
  readonly running: readonly {
    readonly name: string;
    readonly targets: readonly {
      readonly name: string;
      readonly requirements: number;
      readonly requests: number;
      readonly verdicts: readonly {
        readonly id: string;
        readonly verdict: Verdict;
        readonly reason: string | null;
      }[];
    }[];
  }[];
  readonly finished: readonly {
    readonly name: string;
    readonly at: string;
    readonly outcome: Outcome;
    readonly targets: readonly string[];
    readonly counts: Readonly<Record<Verdict, number>>;
  }[];
}

/** The script of the page: it shows what the server sends, which is this page's own main part, drawn anew. */
const script = `
'use strict';
new EventSource('events').addEventListener('runs', (event) => {
  const drawn = new DOMParser().parseFromString(event.data, 'text/html').querySelector('main');
  document.querySelector('main').replaceWith(drawn);
});
`;

/** The page of a folder of runs: those that go on first, live where script runs. */
export function renderRunsPage(page: RunsPage): string {
  const document = (
    <Document title="Assay: runs" style={style} script={script} connects>
      <header class="overview">
        <p class="brand">
          <b>Assay</b> runs
        </p>
      </header>
      <Runs page={page} />
    </Document>
  );
  return `<!doctype html>\n${renderToString(document)}\n`;
}

/** The part of the page that changes. */
export function renderRuns(page: RunsPage): string {
  return renderToString(<Runs page={page} />);
}

function Runs({ page }: { readonly page: RunsPage }) {
  return (
    <main aria-live="polite">
      {page.running.map((run) => (
        <section key={run.name}>
          <h2>Running: {visible(run.name)}</h2>
          {run.targets.map((target) => {
            const told = target.verdicts.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skipped');
            return (
              <div class="card waived" key={target.name}>
                <h3>{visible(target.name)}</h3>
                <p>
                  <progress
                    max={target.requirements}
                    value={target.verdicts.length}
                    aria-label="requirements judged"
                  />{' '}
                  {target.verdicts.length} of {plural(target.requirements, 'requirement')},{' '}
                  {plural(target.requests, 'request')}
                </p>
                <ul class="ids">
                  {told.map(({ id, verdict, reason }, index) => (
                    <li key={index}>
                      <VerdictChip verdict={verdict} /> <b>{visible(id)}</b> {visible(reason ?? '')}
                    </li>
                  ))}
                </ul>
              </div>
            );
          })}
        </section>
      ))}
      <section>
        <h2>Finished ({page.finished.length})</h2>
        {page.finished.length === 0 ? <p class="muted">No run has finished here yet.</p> : null}
        <ul class="reasons">
          {page.finished.map((run) => (
            <li key={run.name}>
              <a href={`runs/${encodeURIComponent(run.name)}/report.html`}>{visible(run.name)}</a>{' '}
              <b class={run.outcome}>{run.outcome}</b>{' '}
              <span class="muted">
                {visible(run.at)}, {run.targets.map(visible).join(', ')}:{' '}
                {countWords(run.counts)
                  .map(({ words }) => words)
                  .join(', ')}
              </span>
            </li>
          ))}
        </ul>
      </section>
    </main>
  );
}
