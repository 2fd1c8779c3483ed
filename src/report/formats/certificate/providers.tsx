import type { RequirementResult, TargetResult } from '../../../core/results.ts';
import { countVerdicts, countWords, isWaived } from '../../digest.ts';
import { visible } from '../../safe-text.ts';
import { plural } from '../../words.ts';
import { Columns } from '../html/columns.tsx';

/** Who was judged, with every requirement by name. */
export function OneProvider({ target }: { readonly target: TargetResult }) {
  const chapters = [...new Set(target.requirements.map(({ id }) => chapterOf(id)))];
  return (
    <section>
      <h2>{visible(target.name)}</h2>
      <dl>
        <dt>Token endpoint</dt>
        <dd>{visible(target.authUrl)}/connect/token</dd>
        <dt>Lists</dt>
        <dd>{`${visible(target.baseUrl)}: ${listWords(target)}`}</dd>
      </dl>
      <table>
        <Columns names={['Chapter', 'Verdicts', 'Requirements']} />
        <tbody>
          {chapters.map((chapter) => {
            const own = target.requirements.filter(({ id }) => chapterOf(id) === chapter);
            return (
              <tr key={chapter}>
                <th scope="row">{chapter}</th>
                <td class="counts">
                  {verdictWords(own).map((words) => (
                    <div key={words}>{words}</div>
                  ))}
                </td>
                <td>{requirementWords(own)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <Waivers target={target} />
    </section>
  );
}

/** A line for each provider. */
export function SeveralProviders({ targets }: { readonly targets: readonly TargetResult[] }) {
  return (
    <section>
      <table>
        <Columns names={['Provider', 'Outcome', 'Verdicts']} />
        <tbody>
          {targets.map((target) => (
            <tr key={target.name}>
              <th scope="row">{visible(target.name)}</th>
              <td>{target.outcome}</td>
              <td>
                {verdictWords(target.requirements).join(', ')}
                <div class="note">{`${visible(target.baseUrl)}: ${listWords(target)}`}</div>
                <Waivers target={target} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Waivers({ target }: { readonly target: TargetResult }) {
  return (
    <>
      {target.requirements.filter(isWaived).map(({ id, resource, waiver }) => (
        <p key={`${id} ${resource}`}>
          {`Waived: ${visible(id)}, until ${waiver?.until}: ${visible(waiver?.reason ?? '')}`}
        </p>
      ))}
    </>
  );
}

function verdictWords(results: readonly RequirementResult[]): readonly string[] {
  return countWords(countVerdicts(results)).map(({ words }) => words);
}

// Names that passed stand alone; the others with what became of them. A list is named where there are several.
function requirementWords(results: readonly RequirementResult[]): string {
  const several = new Set(results.map(({ resource }) => resource)).size > 1;
  const verdicts = new Map<string, string[]>();
  for (const { id, resource, verdict } of results) {
    const name = visible(id.slice(id.indexOf('/') + 1));
    const of = several && resource !== null ? `${visible(resource)}: ${verdict}` : verdict;
    verdicts.set(name, [...(verdicts.get(name) ?? []), ...(verdict === 'pass' ? [] : [of])]);
  }
  return [...verdicts]
    .map(([name, others]) => (others.length === 0 ? name : `${name} (${others.join(', ')})`))
    .join(', ');
}

function listWords({ records }: TargetResult): string {
  return Object.entries(records)
    .map(([list, count]) => `${visible(list)} (${count === null ? 'not counted' : plural(count, 'record')})`)
    .join(', ');
}

// The part before the slash; checks of a user's own have chapters that the catalogue does not know.
function chapterOf(id: string): string {
  return visible(id.split('/', 1)[0] ?? id);
}
