import { withCommas } from '../../core/number-format.ts';
import type { TargetResult } from '../../core/results.ts';
import type { ExchangeView } from '../report-data.ts';
import type { PageContext } from './page-context.ts';

const LINKED = 12;

/** The exchanges to link to: the first of those cited (the most relevant one comes first), in ascending order. */
export function linkedOf(numbers: readonly number[]): readonly number[] {
  return numbers.slice(0, LINKED).toSorted((one, other) => one - other);
}

/** Numbers of exchanges, as links into the evidence browser. */
export function ExchangeLinks({
  context,
  target,
  numbers,
}: {
  readonly context: PageContext;
  readonly target: TargetResult;
  readonly numbers: readonly number[];
}) {
  const more = numbers.length - LINKED;
  return (
    <>
      {linkedOf(numbers).map((number, index) => {
        const anchor = context.exchangeAnchor(target, number);
        return (
          <span key={number}>
            {index > 0 ? ', ' : ''}
            {anchor === null ? number : <a href={`#${anchor}`}>{number}</a>}
          </span>
        );
      })}
      {more > 0 ? ` and ${withCommas(more)} more` : ''}
    </>
  );
}

/** The status of an exchange's answer, or why there is none: `200`, `timeout`. */
export function exchangeStatus({ status, failure }: ExchangeView): number | string {
  return status ?? failure?.code ?? 'no answer';
}
