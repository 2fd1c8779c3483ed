import { withCommas } from '../../../core/number-format.ts';
import { type Counts, occurring } from '../../digest.ts';
import { signOf } from './words.tsx';

/** What occurs, worst first, each as its sign and its number. */
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
