import { withCommas } from '../../core/number-format.ts';
import { findingsOf, findingsWith, isOpenFailure } from '../findings.ts';
import { isOverview } from '../target-selection.ts';
import type { PageContext } from './page-context.ts';

/** Links to the sections of the page. */
export function Contents({ context, charts }: { readonly context: PageContext; readonly charts: number }) {
  const { results, evidence } = context.data;
  const failed = findingsOf(results, isOpenFailure).length;
  const open = findingsWith(results, 'inconclusive').length;
  const many = isOverview(results);
  const observed = results.targets.some(({ observations }) => observations.length > 0);
  const parts: readonly (readonly [id: string, words: string, there: boolean])[] = [
    ['targets', `Targets (${withCommas(results.targets.length)})`, many],
    ['failures', `Failed (${withCommas(failed)})`, failed > 0],
    ['inconclusive', `Inconclusive (${withCommas(open)})`, open > 0],
    ['charts', 'Charts', charts > 0],
    ['requirements', 'Requirements', !many],
    ['observations', 'Observations', observed && !many],
    ['traffic', 'Traffic', results.targets.length > 0 && !many],
    ['evidence', 'Evidence', evidence.size > 0],
    ['environment', 'Environment', true],
  ];
  return (
    <nav class="contents" aria-label="Contents">
      <p class="brand">
        <a href="#top">
          <b>Assay</b> <span>conformance report</span>
        </a>
      </p>
      <ul>
        {parts
          .filter(([, , isShown]) => isShown)
          .map(([id, words]) => (
            <li key={id}>
              <a href={`#${id}`}>{words}</a>
            </li>
          ))}
      </ul>
    </nav>
  );
}
