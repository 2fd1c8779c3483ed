import { resolution } from '../../core/cause-sentences.ts';
import { groupBy } from '../../core/group-by.ts';
import { withCommas } from '../../core/number-format.ts';
import type { RequirementResult, TargetResult } from '../../core/results.ts';
import { type CauseGroup, type Finding, groupByCause } from '../findings.ts';
import { plural, sentence } from '../wording/phrases.ts';
import { visible } from '../wording/safe-text.ts';
import { keyOfFinding, type PageContext } from './page-context.ts';

/** Most targets that are listed by name; the others are counted. */
const MAX_NAMED = 6;

/** Most reasons shown, ordered by number of targets; the others are counted. */
const MAX_REASONS = 12;

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

/** Why verdicts are open, over all targets: each reason with its requirements and the number of targets. */
export function ReasonsAcross({
  id,
  title,
  findings,
  reasonOf,
}: {
  readonly id: string;
  readonly title: string;
  readonly findings: readonly Finding[];
  /** Groups the findings; by cause by default. */
  readonly reasonOf?: (result: RequirementResult) => string;
}) {
  if (findings.length === 0) return null;
  const groups = groupsOf(findings, reasonOf ?? sentencesByCause(findings));
  const more = groups.length - MAX_REASONS;
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        {title} ({withCommas(findings.length)})
      </h2>
      <ul class="reasons">
        {groups.slice(0, MAX_REASONS).map(({ reason, ids, targets }) => (
          <li key={reason}>
            <p class="message">{sentence(visible(reason))}</p>
            <ul class="ids">
              {[...ids].map((one) => (
                <li key={one}>{visible(one)}</li>
              ))}
            </ul>
            <p class="resolution">
              <b>{plural(targets.size, 'target')}</b> {namesOf([...targets])}
            </p>
          </li>
        ))}
      </ul>
      {more > 0 ? <p class="muted">and {plural(more, 'further reason')}</p> : null}
    </section>
  );
}

function namesOf(targets: readonly TargetResult[]): string {
  const names = targets.slice(0, MAX_NAMED).map(({ name }) => visible(name));
  const more = targets.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${withCommas(more)} more` : names.join(', ');
}

/** The sentence of each finding's cause, the same for all that share it. */
function sentencesByCause(findings: readonly Finding[]): (result: RequirementResult) => string {
  const sentences = new Map<RequirementResult, string>();
  for (const group of groupByCause(findings))
    for (const { result } of group.findings) sentences.set(result, group.sentence);
  return (result) => sentences.get(result) ?? '';
}

interface Group {
  readonly reason: string;
  readonly ids: ReadonlySet<string>;
  readonly targets: ReadonlySet<TargetResult>;
}

/** Findings by reason, ordered by number of targets. */
function groupsOf(
  findings: readonly Finding[],
  reasonOf: (result: RequirementResult) => string,
): readonly Group[] {
  const groups = [...groupBy(findings, ({ result }) => reasonOf(result))].map(([reason, members]) => ({
    reason,
    ids: new Set(members.map(({ result }) => result.id)),
    targets: new Set(members.map(({ target }) => target)),
  }));
  return groups.toSorted((one, other) => other.targets.size - one.targets.size);
}
