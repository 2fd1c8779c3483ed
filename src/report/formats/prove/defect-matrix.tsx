import type { ProvenDefect, ReportedVerdict } from '../../../core/prove-results.ts';
import { visible } from '../../safe-text.ts';
import { Columns } from '../html/columns.tsx';
import { Scroll } from '../html/scroll.tsx';

/** What a row of the matrix shows; combinations of defects share it. */
type Row = Pick<
  ProvenDefect,
  'id' | 'sentence' | 'fate' | 'killedBy' | 'alsoFailed' | 'escaped' | 'falselyFailed' | 'errors'
>;

/** Every defect with the requirements that named it; nothing where there is none. */
export function DefectMatrix({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>
        {title} ({rows.length})
      </h2>
      <Scroll name={title}>
        <table>
          <Columns names={['defect', 'fate', 'named by', 'also failed']} />
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <td>
                  {visible(row.id)}
                  <div class="muted">{visible(row.sentence)}</div>
                </td>
                <td class={row.fate === 'killed' ? 'pass' : 'fail'}>{row.fate}</td>
                <td>
                  {ids(row.killedBy)}
                  <Wrong title="did not fail" told={row.escaped} />
                </td>
                <td>
                  {ids(row.alsoFailed)}
                  <Wrong title="failed falsely" told={row.falselyFailed} />
                  <Wrong title="could not be carried out" told={row.errors} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

function ids(told: readonly ReportedVerdict[]): string {
  return visible([...new Set(told.map(({ requirement }) => requirement))].join(', '));
}

function Wrong({ title, told }: { readonly title: string; readonly told: readonly ReportedVerdict[] }) {
  if (told.length === 0) return null;
  return (
    <div class="fail">
      {title}: {told.map(({ requirement, sentence }) => visible(`${requirement} (${sentence})`)).join('; ')}
    </div>
  );
}
