import type { RequirementResult, TargetResult } from '../../core/results.ts';
import { countVerdicts, countWords, isWaived } from '../findings.ts';
import { Columns } from '../html/table-parts.tsx';
import { plural } from '../wording/phrases.ts';
import { visible } from '../wording/safe-text.ts';

/** A provider with the verdict on every requirement. */
export function OneProvider({ target }: { readonly target: TargetResult }) {
  return (
    <section>
      <h2>{visible(target.name)}</h2>
      <dl>
        {target.product === undefined ? null : (
          <>
            <dt>Product</dt>
            <dd>{`${visible(target.product.name)}, version ${visible(target.product.version)}`}</dd>
          </>
        )}
        <dt>Token endpoint</dt>
        <dd>{visible(target.authUrl)}/connect/token</dd>
        <dt>Lists</dt>
        <dd>{`${visible(target.baseUrl)}: ${listWords(target)}`}</dd>
      </dl>
      <Verdicts target={target} />
      <Waivers target={target} />
    </section>
  );
}

/** A row for each requirement, in two columns that fit a page. */
function Verdicts({ target }: { readonly target: TargetResult }) {
  const { requirements } = target;
  const lists = new Set(requirements.map(({ resource }) => resource).filter((list) => list !== null));
  const half = Math.ceil(requirements.length / 2);
  return (
    <div class="verdicts">
      {[requirements.slice(0, half), requirements.slice(half)].map((part, index) => (
        <table key={index === 0 ? 'first' : 'second'}>
          <Columns names={['Requirement', 'Clause', 'Verdict']} />
          <tbody>
            {part.map(({ id, resource, clause, verdict, waiver }) => (
              <tr key={`${id} ${resource}`}>
                <th scope="row">
                  {visible(id)}
                  {lists.size > 1 && resource !== null ? ` (${visible(resource)})` : ''}
                </th>
                <td>{visible(clause.join(', '))}</td>
                <td>{verdict === 'fail' && waiver?.active === true ? 'fail, waived' : verdict}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </div>
  );
}

/** One row per provider. */
export function SeveralProviders({ targets }: { readonly targets: readonly TargetResult[] }) {
  return (
    <section>
      <table>
        <Columns names={['Provider', 'Outcome', 'Verdicts']} />
        <tbody>
          {targets.map((target) => (
            <tr key={target.name}>
              <th scope="row">{visible(target.name)}</th>
              <td>{certifiedWords(target)}</td>
              <td>
                {verdictWords(target.requirements).join(', ')}
                <div class="note">{openWords(target)}</div>
                {target.product === undefined ? null : (
                  <div class="note">{`${visible(target.product.name)}, version ${visible(target.product.version)}`}</div>
                )}
                <div class="note">{visible(target.authUrl)}/connect/token</div>
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

/** `Conformant` only if every requirement passed. */
function certifiedWords({ requirements }: TargetResult): string {
  const passed = requirements.filter(({ verdict }) => verdict === 'pass').length;
  return passed === requirements.length ? 'Conformant' : `${passed} of ${requirements.length} passed`;
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

/** Every requirement that did not pass, with its verdict. */
function openWords({ requirements }: TargetResult): string {
  return requirements
    .filter(({ verdict }) => verdict !== 'pass')
    .map(({ id, verdict }) => `${visible(id)}: ${verdict}`)
    .join(', ');
}

function listWords({ records }: TargetResult): string {
  return Object.entries(records)
    .map(([list, count]) => `${visible(list)} (${count === null ? 'not counted' : plural(count, 'record')})`)
    .join(', ');
}
