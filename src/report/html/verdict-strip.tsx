import type { RequirementResult, TargetResult } from '../../core/results.ts';
import { isWaived } from '../findings.ts';
import { visible } from '../safe-text.ts';
import { chapterWord, type PageContext } from './page-context.ts';
import { signOf } from './verdict-chip.tsx';

/** One tile per verdict, by chapter; each links to its row. */
export function Strip({ context, target }: { readonly context: PageContext; readonly target: TargetResult }) {
  if (target.requirements.length === 0) return null;
  const chapters = [...new Set(target.requirements.map(({ id }) => chapterWord(id)))];
  return (
    <nav class="strip" aria-label={`Every verdict: ${visible(target.name)}`}>
      {context.several ? <b>{visible(target.name)}</b> : null}
      <ul>
        {chapters.map((chapter) => (
          <li key={chapter}>
            <span class="chapter">{visible(chapter)}</span>
            <ul>
              {target.requirements
                .filter(({ id }) => chapterWord(id) === chapter)
                .map((result) => (
                  <Tile key={`${result.id} ${result.resource}`} context={context} result={result} />
                ))}
            </ul>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Tile({ context, result }: { readonly context: PageContext; readonly result: RequirementResult }) {
  const list = result.resource === null ? '' : ` (${visible(result.resource)})`;
  const words = `${visible(result.id)}${list}: ${result.verdict}${isWaived(result) ? ', waived' : ''}`;
  return (
    <li>
      <a
        class={`tile ${isWaived(result) ? 'inconclusive' : result.verdict}`}
        href={`#${context.rowAnchor(result)}`}
        title={words}
      >
        <span aria-hidden="true">{signOf(result.verdict)}</span>
        <span class="unseen">{words}</span>
      </a>
    </li>
  );
}
