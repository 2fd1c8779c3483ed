import { withCommas } from '../../core/number-format.ts';
import type { RequirementResult } from '../../core/results.ts';
import { countVerdicts, type Finding, findingsOf, isOpenFailure } from '../findings.ts';
import { visible } from '../safe-text.ts';
import { Columns } from './columns.tsx';
import type { PageContext } from './page-context.ts';
import { Scroll } from './scroll.tsx';
import { Tally } from './verdict-tally.tsx';

/** Most targets that are listed by name; the others are counted. */
const MAX_NAMED = 6;

/** Every requirement with its verdicts over all targets, and the first targets that fail it. */
export function AcrossTargets({
  context,
  cards,
}: {
  readonly context: PageContext;
  /** Failures that are shown with their proof. */
  readonly cards: ReadonlySet<RequirementResult>;
}) {
  const { targets } = context.data.results;
  const rows = grouped(
    targets.flatMap(({ requirements }) => requirements),
    ({ id }) => id,
  );
  const broken = grouped(findingsOf(context.data.results, isOpenFailure), ({ result }) => result.id);
  return (
    <section id="requirements" aria-labelledby="requirements-title">
      <h2 id="requirements-title">Requirements across targets</h2>
      <Scroll name="Requirements across targets">
        <table class="across stacked">
          <colgroup>
            <col class="of-requirement" />
            <col class="of-tallies" />
            <col />
          </colgroup>
          <Columns names={['requirement', 'verdicts', 'broken by']} />
          <tbody>
            {[...rows].map(([id, verdicts]) => (
              <tr key={id}>
                <th scope="row">{visible(id)}</th>
                <td>
                  <Tally counts={countVerdicts(verdicts)} />
                </td>
                <td data-name="broken by">
                  <BrokenBy context={context} cards={cards} findings={broken.get(id) ?? []} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

function BrokenBy({
  context,
  cards,
  findings,
}: {
  readonly context: PageContext;
  readonly cards: ReadonlySet<RequirementResult>;
  readonly findings: readonly Finding[];
}) {
  const byTarget = [...new Map(findings.map((one) => [one.target, one]))];
  const more = byTarget.length - MAX_NAMED;
  return (
    <>
      {byTarget.slice(0, MAX_NAMED).map(([target, { result }], index) => (
        <span key={target.name}>
          {index > 0 ? ', ' : ''}
          {cards.has(result) ? (
            <a href={`#${context.failureAnchor(result)}`}>{visible(target.name)}</a>
          ) : (
            visible(target.name)
          )}
        </span>
      ))}
      {more > 0 ? ` and ${withCommas(more)} more` : ''}
    </>
  );
}

function grouped<Member>(members: readonly Member[], by: (member: Member) => string): Map<string, Member[]> {
  const groups = new Map<string, Member[]>();
  for (const member of members) {
    const group = groups.get(by(member));
    if (group === undefined) groups.set(by(member), [member]);
    else group.push(member);
  }
  return groups;
}
