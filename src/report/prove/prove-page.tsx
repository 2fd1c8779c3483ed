import type { ProvenGroup, ProveResults } from '../../core/prove-results.ts';
import { renderDocument } from '../html/document.tsx';
import { Table } from '../html/table-parts.tsx';
import { visible } from '../wording/safe-text.ts';
import { DefectMatrix, VariantTable } from './defect-matrix.tsx';
import { proofSentence, wrongLines } from './prove-terminal.ts';

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
