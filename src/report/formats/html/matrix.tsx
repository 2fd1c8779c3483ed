import { CHAPTERS } from '../../../catalogue/requirement.ts';
import type { RequirementResult, TargetResult } from '../../../core/results.ts';
import { VERDICTS } from '../../../core/verdict.ts';
import { isWaived } from '../../digest.ts';
import { visible } from '../../safe-text.ts';
import { milliseconds } from '../../words.ts';
import type { Frame } from './frame.ts';
import { Scroll } from './scroll.tsx';
import { VerdictChip } from './words.tsx';

/** Every requirement of every target with its verdict, chapter by chapter, with filters where script runs. */
export function Matrix({ frame }: { readonly frame: Frame }) {
  const { targets } = frame.data.results;
  return (
    <section id="requirements" aria-labelledby="requirements-title">
      <h2 id="requirements-title">Requirements</h2>
      <Filter />
      {targets.map((target) => (
        <TargetTable key={target.name} frame={frame} target={target} />
      ))}
    </section>
  );
}

// Without script there is nothing to filter with, so it is shown by the script.
function Filter() {
  return (
    <form class="filter" id="filter" hidden>
      <label>
        Verdict
        <select name="verdict">
          <option value="">any</option>
          {VERDICTS.map((verdict) => (
            <option key={verdict} value={verdict}>
              {verdict}
            </option>
          ))}
        </select>
      </label>
      <label>
        Chapter
        <select name="chapter">
          <option value="">any</option>
          {CHAPTERS.map((chapter) => (
            <option key={chapter} value={chapter}>
              {chapter}
            </option>
          ))}
        </select>
      </label>
      <label>
        Text
        <input type="search" name="text" autocomplete="off" />
      </label>
      <output name="shown" />
    </form>
  );
}

function TargetTable({ frame, target }: { readonly frame: Frame; readonly target: TargetResult }) {
  const chapters = [...new Set(target.requirements.map((one) => chapterWord(one.id)))];
  return (
    <Scroll name={`Requirements of ${visible(target.name)}`}>
      <table class="matrix">
        <caption>{visible(target.name)}</caption>
        <thead>
          <tr>
            <th scope="col">requirement</th>
            <th scope="col">clause</th>
            <th scope="col">verdict</th>
            <th scope="col">rule</th>
            <th scope="col" class="number">
              cases
            </th>
            <th scope="col" class="number">
              requests
            </th>
            <th scope="col" class="number">
              time
            </th>
          </tr>
        </thead>
        {chapters.map((chapter) => (
          <tbody key={chapter}>
            <tr class="chapter">
              <th colSpan={7} scope="rowgroup">
                {visible(chapter)}
              </th>
            </tr>
            {target.requirements
              .filter((one) => chapterWord(one.id) === chapter)
              .map((one) => (
                <Row key={`${one.id} ${one.resource}`} frame={frame} result={one} />
              ))}
          </tbody>
        ))}
      </table>
    </Scroll>
  );
}

function Row({ frame, result }: { readonly frame: Frame; readonly result: RequirementResult }) {
  const { verdict } = result;
  return (
    <tr id={frame.rowAnchor(result)} data-verdict={verdict} data-chapter={visible(chapterWord(result.id))}>
      <th scope="row">
        {verdict === 'fail' ? (
          <a href={`#${frame.failureAnchor(result)}`}>{visible(result.id)}</a>
        ) : (
          visible(result.id)
        )}
        {result.resource === null ? null : <div class="muted">{visible(result.resource)}</div>}
      </th>
      <td>{result.clause.join(', ')}</td>
      <td>
        <VerdictChip verdict={verdict} waived={isWaived(result)} />
      </td>
      <td>
        {visible(result.rule)}
        {verdict === 'pass' || result.reason === null ? null : (
          <div class="why">{visible(result.reason)}</div>
        )}
      </td>
      <td class="number">{result.cases.toLocaleString('en-US')}</td>
      <td class="number">{result.requests.toLocaleString('en-US')}</td>
      <td class="number">{milliseconds(result.durationMs)}</td>
    </tr>
  );
}

function chapterWord(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('/'))) || 'other';
}
