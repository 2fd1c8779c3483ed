import { resolution } from '../../core/cause-sentences.ts';
import { type CauseGroup, type Finding, groupByCause } from '../findings.ts';
import { sentence } from '../phrases.ts';
import { visible } from '../safe-text.ts';
import { keyOfFinding, type PageContext } from './page-context.ts';

interface ReasonsProps {
  readonly context: PageContext;
  readonly id: string;
  readonly title: string;
  readonly findings: readonly Finding[];
}

/** Verdicts grouped by cause, with how to resolve them; nothing if there are none. */
export function Reasons({ context, id, title, findings }: ReasonsProps) {
  const [any] = findings;
  if (any === undefined) return null;
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        {title} ({findings.length})
      </h2>
      <ul class="reasons">
        {groupByCause(findings).map((group) => (
          <Reason key={keyOfFinding(group.findings[0] as Finding)} context={context} group={group} />
        ))}
      </ul>
    </section>
  );
}

function Reason({ context, group }: { readonly context: PageContext; readonly group: CauseGroup }) {
  const resolved = group.cause === null ? null : resolution(group.cause);
  return (
    <li>
      <p class="message">{sentence(visible(group.sentence))}</p>
      <ul class="ids">
        {group.findings.map((finding) => (
          <li key={keyOfFinding(finding)}>
            <a href={`#${context.rowAnchor(finding.result)}`}>{finding.label}</a>
          </li>
        ))}
      </ul>
      {resolved === null ? null : (
        <p class="resolution">
          <b>How to resolve</b> {visible(resolved)}
        </p>
      )}
    </li>
  );
}
