import type { SweepRow } from '../../../core/prove.ts';
import { visible } from '../../safe-text.ts';
import { suiteWords } from '../prove-terminal.ts';

/** For how many page sizes a defect of one size was found; nothing where no sweep was made. */
export function Sweep({ rows }: { readonly rows: readonly SweepRow[] }) {
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>Defects of one page size</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">planted</th>
            <th scope="col">suite</th>
            <th scope="col" class="number">
              found
            </th>
            <th scope="col" class="number">
              of
            </th>
            <th scope="col" class="number">
              requests
            </th>
            <th scope="col">not found at</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.kind} ${row.runs}`}>
              <td>
                {visible(row.kind)}
                <div class="muted">{visible(row.requirement)}</div>
              </td>
              <td>{suiteWords(row)}</td>
              <td class="number">{row.found}</td>
              <td class="number">{row.planted}</td>
              <td class="number">{row.mostRequests}</td>
              <td class="muted">{some(row.missed)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function some(sizes: readonly number[]): string {
  const shown = sizes.slice(0, 12).join(', ');
  return sizes.length > 12 ? `${shown} and ${sizes.length - 12} more` : shown;
}
