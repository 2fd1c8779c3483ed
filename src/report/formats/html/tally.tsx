import { VERDICTS } from '../../../core/verdict.ts';
import { withCommas } from '../../../core/with-commas.ts';
import type { Counts } from '../../digest.ts';
import { signOf } from './words.tsx';

/** Verdicts that occur, worst first, each as its sign and its number. */
export function Tally({ counts }: { readonly counts: Counts }) {
  return (
    <>
      {VERDICTS.filter((verdict) => counts[verdict] > 0).map((verdict) => (
        <span key={verdict} class={`tally ${verdict}`}>
          <span aria-hidden="true">{signOf(verdict)}</span> {withCommas(counts[verdict])}
          <span class="unseen"> {verdict}</span>{' '}
        </span>
      ))}
    </>
  );
}
