import { withCommas } from '../../core/number-format.ts';
import type { Results } from '../../core/results.ts';
import { isOverview } from '../findings.ts';
import { byteWords, milliseconds, recordWords, visible } from '../wording/phrases.ts';
import { FactList, NumberCells, Section, Table } from './parts.tsx';

/** Facts about the run that produced the report. */
export function Environment({ results }: { readonly results: Results }) {
  const { run, tool, targets } = results;
  const rows: readonly (readonly [name: string, value: string])[] = [
    ['Run', run.id],
    ['Command', run.command],
    ['Started', run.startedAt],
    ['Finished', run.finishedAt],
    ['Suite and seed', `${run.suite}, seed ${run.seed}`],
    ['Complete', run.complete ? 'yes' : 'no: not every requirement was tested'],
    // An overview shows the URLs in the table of targets.
    ...(isOverview(results) ? [] : targets).flatMap((target): readonly (readonly [string, string])[] => [
      [`${target.name}: lists`, target.baseUrl],
      [`${target.name}: tokens`, target.authUrl],
    ]),
    ['Assay', `${tool.version} on Node ${tool.node}, results in the format ${results.format}`],
  ];
  return (
    <Section id="environment" title="Environment">
      <FactList class="environment" facts={rows.map(([name, value]) => [visible(name), visible(value)])} />
    </Section>
  );
}

const NUMBERS = ['requests', 'retries', 'received', 'median', '95 %', '99 %', 'slowest'];

/** Requests, volume and latency per target. */
export function TrafficTable({ results }: { readonly results: Results }) {
  if (results.targets.length === 0) return null;
  return (
    <Section id="traffic" title="Traffic">
      <p class="muted">All requests of the run, to the token endpoint and to the lists.</p>
      <Table name="Traffic" columns={['target', 'records']} numbers={NUMBERS}>
        {results.targets.map((target) => {
          const { requests, retries, bytesReceived, latencyMs } = target.traffic;
          return (
            <tr key={target.name}>
              <th scope="row">{visible(target.name)}</th>
              <td>{recordWords(target)}</td>
              <NumberCells
                of={{
                  requests: withCommas(requests),
                  retries: withCommas(retries),
                  received: byteWords(bytesReceived),
                  median: milliseconds(latencyMs.p50),
                  '95 %': milliseconds(latencyMs.p95),
                  '99 %': milliseconds(latencyMs.p99),
                  slowest: milliseconds(latencyMs.max),
                }}
              />
            </tr>
          );
        })}
      </Table>
    </Section>
  );
}
