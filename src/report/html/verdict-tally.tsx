import { withCommas } from '../../core/number-format.ts';
import { type Counts, occurring } from '../findings.ts';
import { signOf } from './verdict-chip.tsx';

/** The verdicts that occur, worst first, each as sign and number. */
export function Tally({ counts }: { readonly counts: Counts }) {
  return (
    <>
      {occurring(counts).map(([counted, number]) => (
        <span key={counted} class={`tally ${counted}`}>
          <span aria-hidden="true">{signOf(counted)}</span> {withCommas(number)}
          <span class="unseen"> {counted}</span>{' '}
        </span>
      ))}
    </>
  );
}
