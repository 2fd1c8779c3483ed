import { type Finding, groupByReason, type ReasonGroup } from '../../digest.ts';
import { visible } from '../../safe-text.ts';
import { settlingWords } from '../../settling.ts';
import { type Frame, keyOfFinding } from './frame.ts';
import { sentence } from './words.tsx';

interface ReasonsProps {
  readonly frame: Frame;
  readonly id: string;
  readonly title: string;
  readonly findings: readonly Finding[];
}

/** Verdicts that share a reason, gathered under it, with what would settle them; nothing where there is none. */
export function Reasons({ frame, id, title, findings }: ReasonsProps) {
  const [any] = findings;
  if (any === undefined) return null;
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        {title} ({findings.length})
      </h2>
      <ul class="reasons">
        {groupByReason(findings).map((group) => (
          <Reason key={group.reason} frame={frame} group={group} />
        ))}
      </ul>
    </section>
  );
}

function Reason({ frame, group }: { readonly frame: Frame; readonly group: ReasonGroup }) {
  const settles = settlingWords(group);
  return (
    <li>
      <p class="message">{sentence(visible(group.reason))}</p>
      <ul class="ids">
        {group.findings.map((finding) => (
          <li key={keyOfFinding(finding)}>
            <a href={`#${frame.rowAnchor(finding.result)}`}>{finding.label}</a>
          </li>
        ))}
      </ul>
      {settles === null ? null : (
        <p class="settles">
          <b>What would settle {group.findings.length === 1 ? 'it' : 'them'}</b> {settles}
        </p>
      )}
    </li>
  );
}
