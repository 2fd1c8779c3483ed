import type { ProvenVariant } from '../../core/prove-results.ts';
import { Columns } from '../html/columns.tsx';
import { Scroll } from '../html/scroll.tsx';
import { visible } from '../safe-text.ts';

/** Every conforming variant with its result; nothing if there is none. */
export function VariantTable({ rows }: { readonly rows: readonly ProvenVariant[] }) {
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>Conforming variants ({rows.length})</h2>
      <Scroll name="Conforming variants">
        <table class="stacked">
          <Columns names={['variant', 'fate', 'failed', 'inconclusive']} />
          <tbody>
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
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
