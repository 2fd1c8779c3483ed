import { requirements } from '../../../catalogue/index.ts';
import { type Finding, groupByReason } from '../../digest.ts';
import { visible } from '../../safe-text.ts';
import { type Frame, keyOfFinding } from './frame.ts';

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
          <li key={group.reason}>
            <p class="message">{visible(group.reason)}</p>
            <ul class="ids">
              {group.findings.map((finding) => (
                <li key={keyOfFinding(finding)}>
                  <a href={`#${frame.rowAnchor(finding.result)}`}>{finding.label}</a>
                  <Needs finding={finding} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Needs({ finding: { result } }: { readonly finding: Finding }) {
  if (result.verdict !== 'inconclusive' && result.verdict !== 'skipped') return null;
  const needs = requirements.find((one) => one.id === result.id)?.needs ?? null;
  return needs === null ? null : <span class="muted"> needs {needs}</span>;
}
