import type { TargetResult } from '../../core/results.ts';
import { countVerdicts } from '../findings.ts';
import { visible } from '../safe-text.ts';
import { chapterWord } from './page-context.ts';
import { Scroll } from './scroll.tsx';
import { Tally } from './verdict-tally.tsx';

/** The number of verdicts of each kind by chapter and list; nothing if a target has only one list. */
export function ListsByChapter({ target }: { readonly target: TargetResult }) {
  const lists = [...new Set(target.requirements.flatMap(({ resource }) => resource ?? []))];
  if (lists.length < 2) return null;
  const rows = target.requirements.filter(({ resource }) => resource !== null);
  const chapters = [...new Set(rows.map(({ id }) => chapterWord(id)))];
  return (
    <Scroll name={`Chapters and lists of ${visible(target.name)}`}>
      <table class="lists stacked">
        <caption>{visible(target.name)}, by list</caption>
        <thead>
          <tr>
            <th scope="col">chapter</th>
            {lists.map((list) => (
              <th scope="col" key={list}>
                {visible(list)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {chapters.map((chapter) => (
            <tr key={chapter}>
              <th scope="row">{visible(chapter)}</th>
              {lists.map((list) => (
                <td class="brief" data-name={visible(list)} key={list}>
                  <Tally
                    counts={countVerdicts(
                      rows.filter(({ id, resource }) => chapterWord(id) === chapter && resource === list),
                    )}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
