import type { Finding } from '../findings.ts';
import { visible } from '../wording/safe-text.ts';
import { keyOfFinding, type PageContext } from './page-context.ts';
import { Table } from './table-parts.tsx';

/** Every waiver of a failure, with its last day; nothing if there is none. */
export function Waivers({
  context,
  findings,
}: {
  readonly context: PageContext;
  readonly findings: readonly Finding[];
}) {
  if (findings.length === 0) return null;
  return (
    <section id="waivers" aria-labelledby="waivers-title">
      <h2 id="waivers-title">Waivers ({findings.length})</h2>
      <Table name="Waivers" columns={['requirement', 'reason', 'until', 'applies']}>
        {findings.map((finding) => {
          const { waiver } = finding.result;
          return waiver === null ? null : (
            <tr key={keyOfFinding(finding)}>
              <th scope="row">
                <a href={`#${context.failureAnchor(finding.result)}`}>{finding.label}</a>
              </th>
              <td>{visible(waiver.reason)}</td>
              <td class="brief" data-name="until">
                {visible(waiver.until)}
              </td>
              <td class={waiver.active ? 'brief inconclusive' : 'brief fail'} data-name="applies">
                {waiver.active ? 'yes' : 'no, expired'}
              </td>
            </tr>
          );
        })}
      </Table>
    </section>
  );
}
