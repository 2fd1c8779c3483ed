import type {
  ProvenCombination,
  ProvenDefect,
  ProvenGroup,
  ProvenVariant,
  ProveResults,
} from '../../core/prove-results.ts';
import { renderDocument } from '../html/document.tsx';
import { FactList, Table } from '../html/parts.tsx';
import { visible } from '../wording/phrases.ts';
import { GROUP_COUNTS, proofSentence, requirementsOf, wrongLines } from './prove-terminal.ts';

const COLUMNS = ['defect', 'fate', 'named by', 'also failed'] as const;

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
      <Matrix title="Defects" columns={COLUMNS} right="killed" rows={results.defects.map(defectRow)} />
      <Matrix
        title="Combinations of defects"
        columns={COLUMNS}
        right="killed"
        rows={results.combinations.map(combinationRow)}
      />
      <Matrix
        title="Conforming variants"
        columns={['variant', 'fate', 'failed', 'inconclusive']}
        kinds={['fail', 'muted']}
        right="cleared"
        rows={results.variants.map(variantRow)}
      />
      <footer>
        Assay {visible(tool.version)} on Node {visible(tool.node)}, format {results.format}
      </footer>
    </main>
  );
}

function Facts({ run }: Pick<ProveResults, 'run'>) {
  const when = (
    <>
      <time dateTime={run.startedAt}>{visible(run.startedAt)}</time> to{' '}
      <time dateTime={run.finishedAt}>{visible(run.finishedAt)}</time>
    </>
  );
  const command = <code>{visible(run.command)}</code>;
  return (
    <FactList
      class="facts"
      facts={[
        ['When', when],
        ['Seed', run.seed],
        ['Command', command],
      ]}
    />
  );
}

function Groups({ title, groups }: { readonly title: string; readonly groups: readonly ProvenGroup[] }) {
  return (
    <section>
      <h2>{title}</h2>
      <Table name={title} columns={['group']} numbers={GROUP_COUNTS.map(([name]) => name)}>
        {groups.map((group) => (
          <tr key={group.name}>
            <td>{group.name}</td>
            {GROUP_COUNTS.map(([name, member, kind]) => (
              <td
                key={name}
                data-name={name}
                class={kind !== null && group[member] > 0 ? `number ${kind}` : 'number'}
              >
                {group[member]}
              </td>
            ))}
          </tr>
        ))}
      </Table>
    </section>
  );
}

interface MatrixProps {
  readonly title: string;
  readonly columns: readonly [id: string, fate: string, found: string, other: string];
  /** The classes of the last two columns. */
  readonly kinds?: readonly [found: string, other: string];
  /** The fate of a row with the right result. */
  readonly right: string;
  readonly rows: readonly Row[];
}

/** A row of a matrix; what is wrong with it is above the matrices. */
interface Row {
  readonly id: string;
  readonly sentence: string;
  readonly fate: string;
  readonly suite?: string;
  readonly found: string;
  readonly other: string;
}

/** Every defect, combination or variant with its result; nothing if there is none. */
function Matrix({ title, columns, kinds, right, rows }: MatrixProps) {
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>
        {title} ({rows.length})
      </h2>
      <Table name={title} columns={columns}>
        {rows.map(({ id, sentence, fate, suite, found, other }) => (
          <tr key={id}>
            <td>
              {visible(id)}
              <div class="muted">{visible(sentence)}</div>
              {suite !== undefined && <div class="muted">Tested with the suite {suite}.</div>}
            </td>
            <td class={fate === right ? 'pass' : 'fail'}>{fate}</td>
            <td class={kinds?.[0]} data-name={columns[2]}>
              {visible(found)}
            </td>
            <td class={kinds?.[1]} data-name={columns[3]}>
              {visible(other)}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function defectRow({ killedBy, alsoFailed, ...row }: ProvenDefect): Row {
  return { ...row, found: requirementsOf(killedBy), other: requirementsOf(alsoFailed) };
}

function combinationRow({ killedBy, masked, sentence, ...row }: ProvenCombination): Row {
  const sentences = [sentence, ...masked.map(({ requirement, why }) => `${requirement}: ${why}.`)];
  return { ...row, sentence: sentences.join(' '), found: [...new Set(killedBy)].join(', '), other: '' };
}

function variantRow({ failed, errors, inconclusive, ...row }: ProvenVariant): Row {
  return { ...row, found: requirementsOf([...failed, ...errors]), other: inconclusive.join(', ') };
}
