import { withCommas } from '../../../core/number-format.ts';
import type { RequirementResult } from '../../../core/results.ts';
import { countVerdicts, type Finding, findingsOf, isOpenFailure } from '../../digest.ts';
import { visible } from '../../safe-text.ts';
import { Columns } from './columns.tsx';
import type { Frame } from './frame.ts';
import { Scroll } from './scroll.tsx';
import { Tally } from './tally.tsx';

/** Targets that are named; more are counted. */
const NAMED = 6;

/** Every requirement with the verdicts that all targets were given on it, and the first targets that break it. */
export function AcrossTargets({
  frame,
  cards,
}: {
  readonly frame: Frame;
  /** Failures that are shown with their proof. */
  readonly cards: ReadonlySet<RequirementResult>;
}) {
  const { targets } = frame.data.results;
  const rows = grouped(
    targets.flatMap(({ requirements }) => requirements),
    ({ id }) => id,
  );
  const broken = grouped(findingsOf(frame.data.results, isOpenFailure), ({ result }) => result.id);
  return (
    <section id="requirements" aria-labelledby="requirements-title">
      <h2 id="requirements-title">Requirements across targets</h2>
      <Scroll name="Requirements across targets">
        <table class="across">
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
                <td>
                  <BrokenBy frame={frame} cards={cards} findings={broken.get(id) ?? []} />
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
  frame,
  cards,
  findings,
}: {
  readonly frame: Frame;
  readonly cards: ReadonlySet<RequirementResult>;
  readonly findings: readonly Finding[];
}) {
  const byTarget = [...new Map(findings.map((one) => [one.target, one]))];
  const more = byTarget.length - NAMED;
  return (
    <>
      {byTarget.slice(0, NAMED).map(([target, { result }], index) => (
        <span key={target.name}>
          {index > 0 ? ', ' : ''}
          {cards.has(result) ? (
            <a href={`#${frame.failureAnchor(result)}`}>{visible(target.name)}</a>
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
