import { renderToString } from 'preact-render-to-string';
import { Document } from '../formats/html/document.tsx';
import type { Picture } from '../formats/html/pictures.tsx';
import { Figure } from '../formats/html/pictures.tsx';
import { script } from '../formats/html/script.ts';
import { Scroll } from '../formats/html/scroll.tsx';
import { style } from '../formats/html/style.ts';
import { signOf } from '../formats/html/words.tsx';
import { visible } from '../safe-text.ts';
import { enumeration, milliseconds, plural } from '../words.ts';
import { historyOf, type PastRun, type Row, type TargetHistory } from './digest.ts';

/** history.html: all runs of all targets, oldest first, as one self-contained page. */
export async function renderHistory(runs: readonly PastRun[]): Promise<string> {
  const histories = historyOf(runs);
  const pictures = new Map<string, readonly Picture[]>();
  for (const history of histories) {
    if (history.points.length > 1) pictures.set(history.name, await trendsOf(history));
  }
  const page = (
    <Document title={`Assay: ${plural(runs.length, 'run')}`} style={style} script={script}>
      <header class="overview">
        <p class="brand">
          <b>Assay</b> history
        </p>
        <h1>
          {plural(runs.length, 'run')} of {plural(histories.length, 'target')}
        </h1>
      </header>
      <main>
        {histories.map((history) => (
          <Target key={history.name} history={history} pictures={pictures.get(history.name) ?? []} />
        ))}
      </main>
    </Document>
  );
  return `<!doctype html>\n${renderToString(page)}\n`;
}

async function trendsOf({ name, points }: TargetHistory): Promise<readonly Picture[]> {
  const { draw } = await import('../charts/draw.ts');
  const { latencyTrend, requestTrend } = await import('./trends.ts');
  const common = { target: name, left: 0, wide: false };
  return [
    {
      ...common,
      title: 'Latency',
      words: 'Median and 95th percentile of the answers of each run.',
      svg: await draw(latencyTrend(points)),
      columns: ['run', 'median', '95 %'],
      rows: points.map(({ id, target }) => [
        id,
        milliseconds(target.traffic.latencyMs.p50),
        milliseconds(target.traffic.latencyMs.p95),
      ]),
    },
    {
      ...common,
      title: 'Requests',
      words: 'What each run cost the provider.',
      svg: await draw(requestTrend(points)),
      columns: ['run', 'requests'],
      rows: points.map(({ id, target }) => [id, target.traffic.requests]),
    },
  ];
}

function Target({
  history,
  pictures,
}: {
  readonly history: TargetHistory;
  readonly pictures: readonly Picture[];
}) {
  const { name, points, rows, flaky } = history;
  const last = points.at(-1);
  return (
    <section>
      <h2>{visible(name)}</h2>
      <p>
        {plural(points.length, 'run')}
        {last === undefined ? null : (
          <>
            , the last one <b class={last.outcome}>{last.outcome}</b>
          </>
        )}
      </p>
      {flaky.length === 0 ? null : (
        <p class="notice">
          Flaky: {enumeration(flaky.map((row) => `${visible(row.id)} (turned ${row.turns} times)`))}.
        </p>
      )}
      <Scroll name={`Requirements of ${visible(name)} over time`}>
        <table class="heat">
          <caption>Verdicts, the newest run on the right</caption>
          <thead>
            <tr>
              <th scope="col">requirement</th>
              {points.map((point, index) => (
                <th scope="col" key={`${point.id} ${point.link}`}>
                  <a href={point.link} title={`${visible(point.at)}: ${point.outcome}`}>
                    {index + 1}
                  </a>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr class="outcomes">
              <th scope="row">outcome</th>
              {points.map((point) => (
                <td key={`${point.id} ${point.link}`} class={`cell outcome-${point.outcome}`}>
                  <span aria-hidden="true">{OUTCOME_SIGNS[point.outcome]}</span>
                  <span class="unseen">{point.outcome}</span>
                </td>
              ))}
            </tr>
            {rows.map((row) => (
              <HeatRow key={row.id} row={row} />
            ))}
          </tbody>
        </table>
      </Scroll>
      <div class="pictures">
        {pictures.map((picture) => (
          <Figure key={picture.title} picture={picture} />
        ))}
      </div>
    </section>
  );
}

const OUTCOME_SIGNS = { conformant: '✓', 'non-conformant': '✗', inconclusive: '?', error: '!' } as const;

function HeatRow({ row }: { readonly row: Row }) {
  return (
    <tr>
      <th scope="row">{visible(row.id)}</th>
      {row.verdicts.map((verdict, index) => (
        <td key={index} class={`cell cell-${verdict ?? 'none'}`}>
          <span aria-hidden="true">
            {verdict === null ? '' : verdict === 'waived' ? 'w' : signOf(verdict)}
          </span>
          <span class="unseen">{verdict ?? 'not there'}</span>
        </td>
      ))}
    </tr>
  );
}
