import { CHAPTERS } from '../../core/requirement.ts';
import type { TargetResult } from '../../core/results.ts';
import { VERDICTS } from '../../core/verdict.ts';
import { visible } from '../safe-text.ts';
import { chapterWord } from './page-context.ts';

/** Filters for the requirements; hidden until the script runs. */
export function Filter({ targets }: { readonly targets: readonly TargetResult[] }) {
  const rows = targets.flatMap(({ requirements }) => requirements);
  const own = new Set(rows.map(({ id }) => chapterWord(id)));
  const chapters = [...CHAPTERS, ...[...own].filter((one) => !CHAPTERS.some((known) => known === one))];
  const lists = [...new Set(rows.flatMap(({ resource }) => resource ?? []))];
  return (
    <form class="filter" id="filter" hidden>
      <Choice name="verdict" options={VERDICTS} />
      <Choice name="chapter" options={chapters} />
      {lists.length > 1 ? <Choice name="list" options={lists} /> : null}
      <label>
        Text
        <input type="search" name="text" autocomplete="off" />
      </label>
      <output name="shown" />
    </form>
  );
}

function Choice({ name, options }: { readonly name: string; readonly options: readonly string[] }) {
  return (
    <label>
      {`${name.charAt(0).toUpperCase()}${name.slice(1)}`}
      <select name={name}>
        <option value="">any</option>
        {options.map((option) => (
          <option key={option} value={visible(option)}>
            {visible(option)}
          </option>
        ))}
      </select>
    </label>
  );
}
