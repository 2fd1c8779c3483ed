import { observation, parameterIn } from '../../src/judge/observation.ts';
import { refusesCaller } from '../../src/judge/probes/expected-page.ts';
import { ODD_SIZES, observeVariations } from '../../src/judge/probes/list-variations.ts';
import type { ListAnswer } from '../../src/provider/page.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';

export const pageSizeInvalid = observation({
  id: 'observe/page-size-invalid',
  clause: ['4.2'],
  of: `What $pagesize does if it is zero, negative, fractional, empty, not a number, beyond 32 or 64 bits, or given
    twice. Needs attention if any is answered 5xx, or not at all.`,
  advice: 'RFC 9110, section 15.5.1: an unreadable value is a client error (400), never a 5xx.',
  scope: 'list',
  sendsRequests: true,
  observe: (context) =>
    observeVariations(context, ODD_SIZES, undefined, () => answersToOddSizes(context.snapshots.at(0))),
});

/** The answers to all calls with an odd page size, in a fixed order, so that the same run gives the same value. */
function answersToOddSizes(snapshot: Snapshot): readonly (readonly [name: string, answer: ListAnswer])[] {
  return snapshot
    .answers()
    .flatMap((answer) => {
      const size = parameterIn(answer.target, '$pagesize');
      // What another offset does is no effect of the size.
      const isOdd = size !== null && !isPageSize(size) && parameterIn(answer.target, '$skip') === null;
      return isOdd && !refusesCaller(answer) ? [[`$pagesize=${size}`, answer] as const] : [];
    })
    .toSorted(([, one], [, other]) => one.target.localeCompare(other.target, 'en', { numeric: true }));
}

/** Whether a text is a page size that a provider can be expected to know, above the maximum or not. */
function isPageSize(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) >= 1 && Number(text) < 2 ** 31;
}
