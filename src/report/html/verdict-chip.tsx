import type { Verdict } from '../../core/verdict.ts';
import type { Counted } from '../findings.ts';

/** Signs shown with verdicts, so that colour is never the only difference. */
const SIGNS: Readonly<Record<Counted, string>> = {
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

/** The sign alone; the caller adds a text alternative. */
export function signOf(counted: Counted): string {
  return SIGNS[counted];
}
