import { groupBy } from '../../core/maps.ts';
import { withCommas } from '../../core/number-format.ts';
import { CHAPTERS } from '../../core/requirement.ts';
import type { TargetResult } from '../../core/results.ts';
import { VERDICTS } from '../../core/verdict.ts';
import type { Finding } from '../findings.ts';
import { clauseWords, milliseconds, plural, sentence, visible } from '../wording/phrases.ts';
import { ExchangeLinks, LINKED } from './exchange-parts.tsx';
import { chapterWord, usePage } from './page-context.ts';
import { acceptanceOf, Columns, NumberCells, Scroll, Section, VerdictChip, Widths } from './parts.tsx';

const COLUMNS = ['requirement', 'verdict', 'rule'];
const NUMBERS = ['cases', 'requests', 'time'];

/** Every requirement of every target with its verdict, by chapter and list, with filters if scripts run. */
export function Matrix() {
  const { targets } = usePage().results;
  return (
    <Section id="requirements" title="Requirements">
      <p class="muted">
        Cases: tests in which a breach would have shown. Requests: those sent first for this requirement;
        evidence is shared. Time: how long these requests took.
      </p>
      <Filter />
      {targets.map((target) => (
        <TargetTable key={target.name} target={target} />
      ))}
    </Section>
  );
}

/** Rows by chapter and, where a target has several lists, by list. */
function groupsOf({ requirements }: TargetResult) {
  const lists = groupBy(requirements, ({ id, resource }) => JSON.stringify([chapterWord(id), resource]));
  const groups = [...lists.values()].map((rows) => ({
    chapter: chapterWord(rows[0].id),
    resource: rows[0].resource,
    rows,
  }));
  const chapters = groups.map(({ chapter }) => chapter);
  return groups.toSorted((one, other) => chapters.indexOf(one.chapter) - chapters.indexOf(other.chapter));
}

function TargetTable({ target }: { readonly target: TargetResult }) {
  return (
    <Scroll name={`Requirements of ${visible(target.name)}`}>
      <table class="matrix stacked">
        <caption>{visible(target.name)}</caption>
        <Widths of={[...COLUMNS, ...NUMBERS].map((name) => `of-${name}`)} />
        <Columns columns={COLUMNS} numbers={NUMBERS} />
        {groupsOf(target).map(({ chapter, resource, rows }) => (
          <tbody key={`${chapter} ${resource}`}>
            <tr class="chapter">
              <th colSpan={COLUMNS.length + NUMBERS.length} scope="rowgroup">
                {visible(chapter)}
                {resource === null ? null : <span class="muted"> {visible(resource)}</span>}
              </th>
            </tr>
            {rows.map((one) => (
              <Row key={one.id} target={target} result={one} />
            ))}
          </tbody>
        ))}
      </table>
    </Scroll>
  );
}

function Row({ target, result }: Omit<Finding, 'label'>) {
  const { rowAnchor, failureAnchor } = usePage();
  const { verdict } = result;
  return (
    <tr
      id={rowAnchor(result)}
      data-verdict={verdict}
      data-chapter={visible(chapterWord(result.id))}
      data-list={visible(result.resource ?? '')}
    >
      <th scope="row">
        {verdict === 'fail' ? (
          <a href={`#${failureAnchor(result)}`}>{visible(result.id)}</a>
        ) : (
          visible(result.id)
        )}
        <div class="muted">{clauseWords(result.clause)}</div>
      </th>
      <td class="verdict">
        <VerdictChip verdict={verdict} acceptance={acceptanceOf(result)} />
      </td>
      <td class="rule-of">
        {sentence(visible(result.rule))}
        {verdict === 'pass' || result.reason === null ? null : (
          <div class="why">{sentence(visible(result.reason))}</div>
        )}
        {verdict === 'pass' ? <PassEvidence target={target} result={result} /> : null}
      </td>
      <NumberCells
        of={{
          cases: withCommas(result.cases),
          requests: withCommas(result.requests),
          time: milliseconds(result.durationMs),
        }}
      />
    </tr>
  );
}

/** Filters for the requirements; hidden until the script runs. */
function Filter() {
  const rows = usePage().results.targets.flatMap(({ requirements }) => requirements);
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
      {sentence(name)}
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

/** The evidence of a pass: the number of cases, and the exchanges; nothing if neither is known. */
function PassEvidence({ target, result }: Omit<Finding, 'label'>) {
  const { usesOf } = usePage();
  const spans = usesOf(target.name, result.id).map(([first, last]) => ({
    first,
    length: Math.max(0, last - first + 1),
  }));
  const total = spans.reduce((sum, { length }) => sum + length, 0);
  if (total === 0) return null;
  // Only as many as are linked: anyone may have written the spans of an evidence file.
  const numbers = spans.flatMap(({ first, length }) =>
    Array.from({ length: Math.min(length, LINKED) }, (_, index) => first + index),
  );
  const lists = target.requirements.filter(({ id }) => id === result.id).length;
  return (
    <details class="rests-on">
      <summary>
        Evidence: {plural(result.cases, 'case')}, {plural(total, 'exchange')}
        {lists > 1 ? ' of all lists' : ''}
      </summary>
      <p class="muted">A breach would have shown in every one of these cases.</p>
      <p>
        <ExchangeLinks target={target} numbers={numbers} total={total} />
      </p>
    </details>
  );
}
