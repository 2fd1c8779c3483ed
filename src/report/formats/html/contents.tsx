import { withCommas } from '../../../core/number-format.ts';
import { isOverview } from '../../attention.ts';
import { findingsOf, isOpenFailure } from '../../digest.ts';
import type { Frame } from './frame.ts';

/** Links to the parts of the page that are there. */
export function Contents({ frame, pictures }: { readonly frame: Frame; readonly pictures: number }) {
  const { results, evidence } = frame.data;
  const failed = findingsOf(results, isOpenFailure).length;
  const open = findingsOf(results, (one) => one.verdict === 'inconclusive').length;
  const many = isOverview(results);
  // An overview tells of those that deserve attention.
  const observed = results.targets.some(({ observations }) =>
    observations.some(({ attention }) => attention || !many),
  );
  const parts: readonly (readonly [id: string, words: string, there: boolean])[] = [
    ['targets', `Targets (${withCommas(results.targets.length)})`, many],
    ['failures', `Failed (${withCommas(failed)})`, failed > 0],
    ['inconclusive', `Inconclusive (${withCommas(open)})`, open > 0],
    ['pictures', 'Pictures', pictures > 0],
    ['requirements', 'Requirements', true],
    ['observations', 'Observations', observed],
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
          .filter(([, , there]) => there)
          .map(([id, words]) => (
            <li key={id}>
              <a href={`#${id}`}>{words}</a>
            </li>
          ))}
      </ul>
    </nav>
  );
}
