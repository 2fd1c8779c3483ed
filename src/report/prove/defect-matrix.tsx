import type { ProvenDefect, ProvenVariant, ReportedVerdict } from '../../core/prove-results.ts';
import { Table } from '../html/table-parts.tsx';
import { visible } from '../wording/safe-text.ts';

/** The members of a row in the matrix; combinations of defects use them as well. */
type Row = Pick<
  ProvenDefect,
  'id' | 'sentence' | 'fate' | 'suite' | 'killedBy' | 'alsoFailed' | 'escaped' | 'falselyFailed' | 'errors'
>;

/** Every defect with the requirements that found it; nothing if there is none. */
export function DefectMatrix({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
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
export function VariantTable({ rows }: { readonly rows: readonly ProvenVariant[] }) {
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
