import { withCommas } from '../../../core/number-format.ts';
import type { TargetResult } from '../../../core/results.ts';
import type { Verdict } from '../../../core/verdict.ts';
import type { Counted } from '../../digest.ts';
import type { Frame } from './frame.ts';

/** Signs beside verdicts, so that colour is never the only difference. */
const SIGNS: Readonly<Record<Counted, string>> = {
  fail: '✗',
  waived: '✗',
  error: '!',
  inconclusive: '?',
  pass: '✓',
  skipped: '–',
};

/** A verdict as sign, word and colour. */
export function VerdictChip({
  verdict,
  waived = false,
}: {
  readonly verdict: Verdict;
  readonly waived?: boolean;
}) {
  return (
    <span class={`chip ${waived ? 'inconclusive' : verdict}`}>
      <span aria-hidden="true">{SIGNS[verdict]}</span> {verdict}
      {waived ? ', waived' : ''}
    </span>
  );
}

/** The sign alone; the caller gives it words. */
export function signOf(counted: Counted): string {
  return SIGNS[counted];
}

const LINKED = 12;

/** Of the exchanges that something cites, the telling one first, those that are linked: the first, in order. */
export function linkedOf(numbers: readonly number[]): readonly number[] {
  return numbers.slice(0, LINKED).toSorted((one, other) => one - other);
}

/** Numbers of exchanges, each a link into the evidence browser where it is there. */
export function ExchangeLinks({
  frame,
  target,
  numbers,
}: {
  readonly frame: Frame;
  readonly target: TargetResult;
  readonly numbers: readonly number[];
}) {
  const more = numbers.length - LINKED;
  return (
    <>
      {linkedOf(numbers).map((number, index) => {
        const anchor = frame.exchangeAnchor(target, number);
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

// Names of members, which stay as they are spelled.
const MEMBERS = new Set(['items', 'count', 'scope', 'id', 'agent']);

/** A message as a sentence of its own: with a capital, unless it begins with a name. */
export function sentence(message: string): string {
  const [first = ''] = message.split(' ', 1);
  return /^[a-z]+$/u.test(first) && !MEMBERS.has(first)
    ? `${first.charAt(0).toUpperCase()}${message.slice(1)}`
    : message;
}
