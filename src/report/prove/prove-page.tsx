import type {
  ProvenCombination,
  ProvenDefect,
  ProvenGroup,
  ProvenVariant,
  ProveResults,
  ReportedVerdict,
} from '../../core/prove-results.ts';
import { renderDocument } from '../html/document.tsx';
import { FactList, Table } from '../html/table-parts.tsx';
import { visible } from '../wording/safe-text.ts';
import { GROUP_COUNTS, proofSentence, requirementsOf, wrongLines } from './prove-terminal.ts';

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
      <DefectMatrix title="Defects" rows={results.defects.map(rowOfDefect)} />
      <DefectMatrix title="Combinations of defects" rows={results.combinations.map(rowOfCombination)} />
      <VariantTable rows={results.variants} />
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

/** A row of the matrix: a defect, or a combination of defects. */
interface Row
  extends Pick<ProvenDefect, 'id' | 'sentence' | 'fate' | 'suite' | 'escaped' | 'falselyFailed' | 'errors'> {
  /** The requirements that found it. */
  readonly killers: string;
  /** The requirements that it may break, and did. */
  readonly others: string;
}

function rowOfDefect({ killedBy, alsoFailed, ...row }: ProvenDefect): Row {
  return { ...row, killers: requirementsOf(killedBy), others: requirementsOf(alsoFailed) };
}

function rowOfCombination({ killedBy, masked, sentence, ...row }: ProvenCombination): Row {
  const sentences = [sentence, ...masked.map(({ requirement, why }) => `${requirement}: ${why}.`)];
  const killers = visible([...new Set(killedBy)].join(', '));
  return { ...row, sentence: sentences.join(' '), killers, others: '' };
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

/** Every defect with the requirements that found it; nothing if there is none. */
function DefectMatrix({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>
        {title} ({rows.length})
      </h2>
      <Table name={title} columns={['defect', 'fate', 'named by', 'also failed']}>
        {rows.map((row) => (
          <tr key={row.id}>
            <td>
              {visible(row.id)}
              <div class="muted">{visible(row.sentence)}</div>
              {row.suite !== undefined && <div class="muted">Tested with the suite {row.suite}.</div>}
            </td>
            <td class={row.fate === 'killed' ? 'pass' : 'fail'}>{row.fate}</td>
            <td data-name="named by">
              {row.killers}
              <Wrong title="did not fail, or for another reason" verdicts={row.escaped} />
            </td>
            <td data-name="also failed">
              {row.others}
              <Wrong title="failed falsely" verdicts={row.falselyFailed} />
              <Wrong title="could not be carried out" verdicts={row.errors} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Wrong(props: { readonly title: string; readonly verdicts: readonly ReportedVerdict[] }) {
  if (props.verdicts.length === 0) return null;
  return (
    <div class="fail">
      {props.title}: {explained(props.verdicts)}
    </div>
  );
}

function explained(verdicts: readonly ReportedVerdict[]): string {
  return verdicts.map(({ requirement, sentence }) => visible(`${requirement} (${sentence})`)).join('; ');
}

/** Every conforming variant with its result; nothing if there is none. */
function VariantTable({ rows }: { readonly rows: readonly ProvenVariant[] }) {
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>Conforming variants ({rows.length})</h2>
      <Table name="Conforming variants" columns={['variant', 'fate', 'failed', 'inconclusive']}>
        {rows.map((row) => (
          <tr key={row.id}>
            <td>
              {visible(row.id)}
              <div class="muted">{visible(row.sentence)}</div>
            </td>
            <td class={row.fate === 'cleared' ? 'pass' : 'fail'}>{row.fate}</td>
            <td class="fail" data-name="failed">
              {explained([...row.failed, ...row.errors])}
            </td>
            <td class="muted" data-name="inconclusive">
              {visible(row.inconclusive.join(', '))}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
