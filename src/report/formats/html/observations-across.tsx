import { withCommas } from '../../../core/number-format.ts';
import type { ObservationResult, Results } from '../../../core/results.ts';
import { excerpt, visible } from '../../safe-text.ts';
import { observedWords, plural } from '../../words.ts';
import { Columns } from './columns.tsx';
import { Scroll } from './scroll.tsx';
import { sentence } from './words.tsx';

/** Observations that are told, those of most targets first; more are counted. */
const TOLD = 24;
/** Targets that are named; more are counted. */
const NAMED = 4;
/** Characters of what a provider does. */
const VALUE = 300;

/** What deserves attention where the specification is silent, over all targets; nothing where nothing does. */
export function ObservationsAcross({ results }: { readonly results: Results }) {
  const groups = groupsOf(results);
  if (groups.length === 0) return null;
  const more = groups.length - TOLD;
  return (
    <section id="observations" aria-labelledby="observations-title">
      <h2 id="observations-title">Observations worth a look, not judged</h2>
      <Scroll name="Observations worth a look">
        <table class="observations">
          <colgroup>
            <col class="of-observation" />
            <col />
            <col />
          </colgroup>
          <Columns names={['observation', 'what providers do', 'targets']} />
          <tbody>
            {groups.slice(0, TOLD).map(({ id, value, targets }) => (
              <tr key={`${id} ${value}`} class="attention">
                <th scope="row">
                  {visible(id)}
                  <div class="muted">{observedWords(id)}</div>
                </th>
                <td>{sentence(excerpt(value, VALUE))}</td>
                <td>
                  <b>{withCommas(targets.length)}</b>: {targets.slice(0, NAMED).map(visible).join(', ')}
                  {targets.length > NAMED ? ' …' : ''}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {more > 0 ? <p class="muted">and {plural(more, 'further observation')}</p> : null}
    </section>
  );
}

interface Group extends Pick<ObservationResult, 'id' | 'value'> {
  /** Names of the targets of which it was seen. */
  readonly targets: readonly string[];
}

function groupsOf({ targets }: Results): readonly Group[] {
  const groups = new Map<string, { id: string; value: string; targets: string[] }>();
  for (const { name, observations } of targets) {
    for (const { id, value, attention } of observations) {
      if (!attention) continue;
      const key = JSON.stringify([id, value]);
      const group = groups.get(key) ?? { id, value, targets: [] };
      groups.set(key, group);
      if (group.targets.at(-1) !== name) group.targets.push(name);
    }
  }
  return [...groups.values()].toSorted((one, other) => other.targets.length - one.targets.length);
}
