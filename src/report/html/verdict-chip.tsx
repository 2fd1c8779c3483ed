import { withCommas } from '../../core/number-format.ts';
import type { Verdict } from '../../core/verdict.ts';
import { type Counted, type Counts, countWords } from '../findings.ts';

/** Signs shown with verdicts, so that colour is never the only difference; each needs a text alternative. */
export const SIGNS: Readonly<Record<Counted, string>> = {
  fail: '✗',
  waived: '✗',
  error: '!',
  inconclusive: '?',
  pass: '✓',
  skipped: '–',
};

/** A verdict shown by sign, word and colour. */
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

/** The verdicts that occur, worst first, as a list. */
export function CountList({ counts }: { readonly counts: Counts }) {
  return (
    <ul class="counts">
      {countWords(counts).map(({ counted, words }) => (
        <li key={counted} class={counted}>
          <span aria-hidden="true">{SIGNS[counted]}</span> {words}
        </li>
      ))}
    </ul>
  );
}

interface TallyProps {
  readonly counts: Counts;
  /** Whether the words are visible, and not only the number. */
  readonly named?: boolean;
}

/** The verdicts that occur, worst first, each as sign and number. */
export function Tally({ counts, named = false }: TallyProps) {
  return (
    <>
      {countWords(counts).map(({ counted, words }) => (
        <span key={counted} class={`tally ${counted}`}>
          <span aria-hidden="true">{SIGNS[counted]}</span> {named ? words : withCommas(counts[counted])}
          {named ? null : <span class="unseen"> {counted}</span>}{' '}
        </span>
      ))}
    </>
  );
}
