import type {
  ProvenDefect,
  ProvenGroup,
  ProvenVariant,
  ProveResults,
  ReportedVerdict,
} from '../../core/prove-results.ts';
import { renderDocument } from '../html/document.tsx';
import { Table } from '../html/table-parts.tsx';
import { visible } from '../wording/safe-text.ts';
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

/** The members of a row in the matrix; combinations of defects use them as well. */
type Row = Pick<
  ProvenDefect,
  'id' | 'sentence' | 'fate' | 'suite' | 'killedBy' | 'alsoFailed' | 'escaped' | 'falselyFailed' | 'errors'
>;

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
              {ids(row.killedBy)}
              <Wrong title="did not fail, or for another reason" verdicts={row.escaped} />
            </td>
            <td data-name="also failed">
              {ids(row.alsoFailed)}
              <Wrong title="failed falsely" verdicts={row.falselyFailed} />
              <Wrong title="could not be carried out" verdicts={row.errors} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function ids(verdicts: readonly ReportedVerdict[]): string {
  return visible([...new Set(verdicts.map(({ requirement }) => requirement))].join(', '));
}

function Wrong({
  title,
  verdicts,
}: {
  readonly title: string;
  readonly verdicts: readonly ReportedVerdict[];
}) {
  if (verdicts.length === 0) return null;
  return (
    <div class="fail">
      {title}:{' '}
      {verdicts.map(({ requirement, sentence }) => visible(`${requirement} (${sentence})`)).join('; ')}
    </div>
  );
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
              {[...row.failed, ...row.errors]
                .map(({ requirement, sentence }) => visible(`${requirement} (${sentence})`))
                .join('; ')}
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
