import type { SweepRow } from '../../core/prove-results.ts';
import { Scroll } from '../html/scroll.tsx';
import { sweepTable } from './prove-terminal.ts';

/** The number of page sizes at which a defect of one size is found; nothing without a sweep. */
export function Sweep({ rows }: { readonly rows: readonly SweepRow[] }) {
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
