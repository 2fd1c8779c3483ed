import { withCommas } from '../../core/number-format.ts';
import type { TargetResult } from '../../core/results.ts';
import { plural } from '../wording/phrases.ts';
import { excerpt, visible } from '../wording/safe-text.ts';
import { exchangeStatus } from './exchange-links.tsx';
import type { PageContext, ResultProps } from './page-context.ts';

/** Most exchanges shown with request and status. */
const MAX_SHOWN = 8;
/** Most ranges of exchange numbers that are listed. */
const MAX_RANGES = 40;

/** The evidence of a pass: the number of cases, and the exchanges; nothing if neither is known. */
export function PassEvidence({ context, target, result }: ResultProps) {
  const ranges = context.uses(target, result.id);
  const total = ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  if (total === 0) return null;
  const lists = target.requirements.filter(({ id }) => id === result.id).length;
  return (
    <details class="rests-on">
      <summary>
        Evidence: {plural(result.cases, 'case')}, {plural(total, 'exchange')}
        {lists > 1 ? ' of all lists' : ''}
      </summary>
      <p class="muted">A breach would have shown in every one of these cases.</p>
      <ul>
        {firstOf(ranges, MAX_SHOWN).map((number) => (
          <li key={number}>
            <ExchangeLine context={context} target={target} number={number} />
          </li>
        ))}
      </ul>
      {total > MAX_SHOWN ? <p class="muted">All exchanges: {rangeWords(ranges)}</p> : null}
    </details>
  );
}

function ExchangeLine({
  context,
  target,
  number,
}: {
  readonly context: PageContext;
  readonly target: TargetResult;
  readonly number: number;
}) {
  const anchor = context.exchangeAnchor(target, number);
  const view = context.exchange(target, number);
  return (
    <>
      {anchor === null ? number : <a href={`#${anchor}`}>{number}</a>}
      {view === null ? null : (
        <>
          {' '}
          <code>
            {visible(view.method)} {excerpt(view.requestTarget, 120)}
          </code>{' '}
          {exchangeStatus(view)}
        </>
      )}
    </>
  );
}

type Range = readonly [first: number, last: number];

function firstOf(ranges: readonly Range[], most: number): readonly number[] {
  const numbers: number[] = [];
  for (const [first, last] of ranges)
    for (let number = first; number <= last && numbers.length < most; number++) numbers.push(number);
  return numbers;
}

function rangeWords(ranges: readonly Range[]): string {
  const words = ranges
    .slice(0, MAX_RANGES)
    .map(([first, last]) => (first === last ? String(first) : `${first} to ${last}`));
  const more = ranges.slice(MAX_RANGES).reduce((sum, [first, last]) => sum + last - first + 1, 0);
  return more > 0 ? `${words.join(', ')} and ${withCommas(more)} more` : words.join(', ');
}
