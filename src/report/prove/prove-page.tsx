import type { ProvenGroup, ProveResults, SweepRow } from '../../core/prove-results.ts';
import { renderDocument } from '../html/document.tsx';
import { Scroll, Table } from '../html/table-parts.tsx';
import { visible } from '../wording/safe-text.ts';
import { DefectMatrix, VariantTable } from './defect-matrix.tsx';
import { proofSentence, sweepTable, wrongLines } from './prove-terminal.ts';

/** prove.html: one self-contained, printable page, dark and light, without script or other files. */
export function renderProveHtml(results: ProveResults): string {
  const title = `Assay: ${results.proven ? 'proven' : 'not proven'}`;
  return renderDocument({ title, content: <Proof results={results} /> });
}

function Proof({ results }: { readonly results: ProveResults }) {
  const { run, totals, tool } = results;
  const wrong = wrongLines(results);
  return (
    <main>
      <header>
        <p class="brand">
          <b>Assay</b> proof of the harness itself
        </p>
        <div class="hero">
          <div>
            <h1 class={`stamp ${results.proven ? 'conformant' : 'non-conformant'}`}>
              {results.proven ? 'proven' : 'not proven'}
            </h1>
            <p class="lead">{proofSentence(results)}</p>
            {run.complete ? null : <p class="notice">The proof was interrupted before it was complete.</p>}
          </div>
          <Facts run={run} />
        </div>
      </header>
      {wrong.length === 0 ? null : (
        <section>
          <h2>Wrong results ({wrong.length})</h2>
          <ul class="plain">
            {wrong.map((line) => (
              <li key={line} class="fail">
                {line}
              </li>
            ))}
          </ul>
        </section>
      )}
      {totals.defects.total === 0 ? null : (
        <>
          <Groups title="By chapter" groups={totals.chapters} />
          <Groups title="By difficulty" groups={totals.difficulties} />
        </>
      )}
      <Sweep rows={results.sweep} />
      <DefectMatrix title="Defects" rows={results.defects} />
      <DefectMatrix title="Combinations of defects" rows={results.combinations.map(asDefect)} />
      <VariantTable rows={results.variants} />
      <footer>
        Assay {visible(tool.version)} on Node {visible(tool.node)}, format {results.format}
      </footer>
    </main>
  );
}

function Facts({ run }: Pick<ProveResults, 'run'>) {
  return (
    <dl class="facts">
      <div>
        <dt>When</dt>
        <dd>
          <time dateTime={run.startedAt}>{visible(run.startedAt)}</time> to{' '}
          <time dateTime={run.finishedAt}>{visible(run.finishedAt)}</time>
        </dd>
      </div>
      <div>
        <dt>Seed</dt>
        <dd>{run.seed}</dd>
      </div>
      <div>
        <dt>Command</dt>
        <dd>
          <code>{visible(run.command)}</code>
        </dd>
      </div>
    </dl>
  );
}

function asDefect(combination: ProveResults['combinations'][number]) {
  const { killedBy, masked, ...rest } = combination;
  const verdicts = (requirement: string) => ({
    requirement,
    resource: null,
    verdict: 'fail' as const,
    sentence: '',
  });
  return {
    ...rest,
    killedBy: killedBy.map(verdicts),
    alsoFailed: [],
    sentence: [combination.sentence, ...masked.map(({ requirement, why }) => `${requirement}: ${why}.`)].join(
      ' ',
    ),
  };
}

function Groups({ title, groups }: { readonly title: string; readonly groups: readonly ProvenGroup[] }) {
  return (
    <section>
      <h2>{title}</h2>
      <Table name={title} columns={['group']} numbers={['defects', 'killed', 'escaped', 'false', 'errors']}>
        {groups.map((group) => (
          <tr key={group.name}>
            <td>{group.name}</td>
            <td class="number" data-name="defects">
              {group.total}
            </td>
            <td class="number" data-name="killed">
              {group.killed}
            </td>
            <td data-name="escaped" class={`number ${group.escaped > 0 ? 'fail' : ''}`}>
              {group.escaped}
            </td>
            <td data-name="false" class={`number ${group.false > 0 ? 'fail' : ''}`}>
              {group.false}
            </td>
            <td data-name="errors" class={`number ${group.errors > 0 ? 'error' : ''}`}>
              {group.errors}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

/** The number of page sizes at which a defect of one size is found; nothing without a sweep. */
function Sweep({ rows }: { readonly rows: readonly SweepRow[] }) {
  if (rows.length === 0) return null;
  const { kinds, settings } = sweepTable(rows);
  return (
    <section>
      <h2>Defects of one page size</h2>
      <p>
        Each kind of defect is planted at each page size from 1 to 500. The table shows for how many sizes a
        run finds it. Likely sizes, which a run tries first, are the ends of the range, powers of two and ten,
        divisors of the list's length, sizes with a last page of one record, and their neighbours.
      </p>
      <Scroll name="Defects of one page size">
        <table class="sweep">
          <thead>
            <tr>
              <th scope="col">suite</th>
              <th scope="col" class="number">
                sizes tried
              </th>
              {kinds.map((kind) => (
                <th key={kind} scope="col" class="number">
                  {kind}
                  <div class="muted">{rows.find((row) => row.kind === kind)?.requirement}</div>
                </th>
              ))}
              <th scope="col" class="number">
                requests
              </th>
            </tr>
          </thead>
          <tbody>
            {settings.map(({ words, rows: own }) => (
              <tr key={words}>
                <td>{words}</td>
                <td class="number">{Math.max(...own.map(({ tried }) => tried))}</td>
                {own.map((row) => (
                  <td key={row.kind} class={`number ${row.found < row.tried ? 'fail' : ''}`}>
                    {row.found} of {row.planted}
                    <div class="muted">
                      {row.likelyFound} of {row.likely} likely
                    </div>
                  </td>
                ))}
                <td class="number">{own[0]?.requests}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
