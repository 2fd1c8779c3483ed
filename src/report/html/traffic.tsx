import { withCommas } from '../../core/number-format.ts';
import type { Results } from '../../core/results.ts';
import { byteWords, milliseconds, recordWords } from '../wording/phrases.ts';
import { visible } from '../wording/safe-text.ts';
import { Table } from './table-parts.tsx';

const NUMBERS = ['requests', 'retries', 'received', 'median', '95 %', '99 %', 'slowest'];

/** Requests, volume and latency per target. */
export function TrafficTable({ results }: { readonly results: Results }) {
  if (results.targets.length === 0) return null;
  return (
    <section id="traffic" aria-labelledby="traffic-title">
      <h2 id="traffic-title">Traffic</h2>
      <Table name="Traffic" columns={['target', 'records']} numbers={NUMBERS}>
        {results.targets.map((target) => {
          const { requests, retries, bytesReceived, latencyMs } = target.traffic;
          return (
            <tr key={target.name}>
              <th scope="row">{visible(target.name)}</th>
              <td>{recordWords(target)}</td>
              <td class="number" data-name="requests">
                {withCommas(requests)}
              </td>
              <td class="number" data-name="retries">
                {withCommas(retries)}
              </td>
              <td class="number" data-name="received">
                {byteWords(bytesReceived)}
              </td>
              {[latencyMs.p50, latencyMs.p95, latencyMs.p99, latencyMs.max].map((value, index) => (
                <td class="number" data-name={NUMBERS[index + 3]} key={NUMBERS[index + 3]}>
                  {milliseconds(value)}
                </td>
              ))}
            </tr>
          );
        })}
      </Table>
    </section>
  );
}
