import type { TargetResult } from '../../core/results.ts';
import type { Verdict } from '../../core/verdict.ts';
import { withCommas } from '../../core/with-commas.ts';
import type { Counted } from '../findings.ts';
import type { Frame } from './page-context.ts';

/** Signs shown with verdicts, so that colour is never the only difference. */
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

/** The sign alone; the caller adds a text alternative. */
export function signOf(counted: Counted): string {
  return SIGNS[counted];
}

const LINKED = 12;

/** The exchanges to link to: the first of those cited (the most relevant one comes first), in ascending order. */
export function linkedOf(numbers: readonly number[]): readonly number[] {
  return numbers.slice(0, LINKED).toSorted((one, other) => one - other);
}

/** Numbers of exchanges, as links into the evidence browser. */
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

// Names of JSON members keep their spelling.
const MEMBERS = new Set(['items', 'count', 'scope', 'id', 'agent']);

/** A message that begins with a capital letter, unless its first word is a name. */
export function sentence(message: string): string {
  const [first = ''] = message.split(' ', 1);
  return /^[a-z]+$/u.test(first) && !MEMBERS.has(first)
    ? `${first.charAt(0).toUpperCase()}${message.slice(1)}`
    : message;
}
