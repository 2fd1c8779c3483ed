import { withCommas } from '../../core/number-format.ts';
import type { ObservationResult, Results } from '../../core/results.ts';
import { observedWords, plural, sentence } from '../phrases.ts';
import type { ReportData } from '../report-data.ts';
import { excerpt, visible } from '../safe-text.ts';
import { Columns } from './columns.tsx';
import { Scroll } from './scroll.tsx';

/** Most observations shown, ordered by number of targets; the others are counted. */
const MAX_SHOWN = 24;
/** Most targets that are listed by name; the others are counted. */
const MAX_NAMED = 4;
/** Maximum length of a value, in characters. */
const MAX_VALUE_LENGTH = 300;

/** Observations that need attention, over all targets; nothing if there are none. */
export function ObservationsAcross({ data }: { readonly data: ReportData }) {
  const { results, catalogue } = data;
  const groups = groupsOf(results);
  if (groups.length === 0) return null;
  const more = groups.length - MAX_SHOWN;
  return (
    <section id="observations" aria-labelledby="observations-title">
      <h2 id="observations-title">Observations that need attention</h2>
      <Scroll name="Observations that need attention">
        <table class="observations stacked">
          <colgroup>
            <col class="of-observation" />
            <col />
            <col />
          </colgroup>
          <Columns names={['observation', 'what providers do', 'targets']} />
          <tbody>
            {groups.slice(0, MAX_SHOWN).map(({ id, value, targets }) => (
              <tr key={`${id} ${value}`} class="attention">
                <th scope="row">
                  {visible(id)}
                  <div class="muted">{observedWords(catalogue, id)}</div>
                </th>
                <td>{sentence(excerpt(value, MAX_VALUE_LENGTH))}</td>
                <td data-name="targets">
                  <b>{withCommas(targets.length)}</b>: {targets.slice(0, MAX_NAMED).map(visible).join(', ')}
                  {targets.length > MAX_NAMED ? ' …' : ''}
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
  /** Names of the targets with this observation. */
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
