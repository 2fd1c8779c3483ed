import { resolution } from '../../core/cause-sentences.ts';
import { withCommas } from '../../core/number-format.ts';
import { type CauseGroup, type Finding, groupByCause } from '../findings.ts';
import { isOverview } from '../target-selection.ts';
import { plural, sentence } from '../wording/phrases.ts';
import { visible } from '../wording/safe-text.ts';
import { keyOfFinding, type PageContext } from './page-context.ts';

/** In an overview of many targets, most reasons, and most verdicts of a reason; the others are counted. */
const MAX_REASONS = 12;
const MAX_LABELS = 12;

interface ReasonsProps {
  readonly context: PageContext;
  readonly id: string;
  readonly title: string;
  readonly findings: readonly Finding[];
}

/** Verdicts grouped by cause, with how to resolve them; nothing if there are none. */
export function Reasons({ context, id, title, findings }: ReasonsProps) {
  if (findings.length === 0) return null;
  const groups = groupByCause(findings);
  const shown = isOverview(context.data.results) ? groups.slice(0, MAX_REASONS) : groups;
  const more = groups.length - shown.length;
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        {title} ({withCommas(findings.length)})
      </h2>
      <ul class="reasons">
        {shown.map((group) => (
          <Reason key={keyOfFinding(group.findings[0] as Finding)} context={context} group={group} />
        ))}
      </ul>
      {more > 0 ? <p class="muted">and {plural(more, 'further reason')}</p> : null}
    </section>
  );
}

function Reason({ context, group }: { readonly context: PageContext; readonly group: CauseGroup }) {
  const resolved = group.cause === null ? null : resolution(group.cause);
  // An overview has no rows to link to.
  const isLinked = !isOverview(context.data.results);
  const shown = isLinked ? group.findings : group.findings.slice(0, MAX_LABELS);
  const more = group.findings.length - shown.length;
  return (
    <li>
      <p class="message">{sentence(visible(group.sentence))}</p>
      <ul class="ids">
        {shown.map((finding) => (
          <li key={keyOfFinding(finding)}>
            {isLinked ? <a href={`#${context.rowAnchor(finding.result)}`}>{finding.label}</a> : finding.label}
          </li>
        ))}
        {more > 0 ? <li>and {withCommas(more)} more</li> : null}
      </ul>
      {resolved === null ? null : (
        <p class="resolution">
          <b>How to resolve</b> {visible(resolved)}
        </p>
      )}
    </li>
  );
}
