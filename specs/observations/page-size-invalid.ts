import { refusesCaller } from '../../src/judge/expected-page.ts';
import { observation, parameterIn } from '../../src/judge/observation.ts';
import {
  answersByName,
  describeAnswers,
  ODD_SIZES,
  printRecordCount,
  variationOutcomes,
} from '../../src/judge/probes/list-variations.ts';

export const pageSizeInvalid = observation({
  id: 'observe/page-size-invalid',
  clause: ['4.2'],
  of: `What $pagesize does if it is zero, negative, fractional, empty, not a number, beyond 32 or 64 bits, or given
    twice. Needs attention if any is answered 5xx, or not at all.`,
  advice: 'RFC 9110, section 15.5.1: an unreadable value is a client error (400), never a 5xx.',
  scope: 'list',
  sendsRequests: true,
  observe: async (context) => {
    const all = await variationOutcomes(context);
    const odd = context.snapshots
      .at(0)
      .answers()
      .flatMap((answer) => {
        const size = parameterIn(answer.target, '$pagesize');
        // What another offset does is no effect of the size.
        const isOdd = size !== null && !isPageSize(size) && parameterIn(answer.target, '$skip') === null;
        return isOdd && !refusesCaller(answer) ? [[`$pagesize=${size}`, answer] as const] : [];
      })
      // In a fixed order, so that the same run gives the same value.
      .toSorted(([, one], [, other]) => one.target.localeCompare(other.target, 'en', { numeric: true }));
    return describeAnswers([...odd, ...answersByName(all, ODD_SIZES)], printRecordCount);
  },
});

/** Whether a text is a page size that a provider can be expected to know, above the maximum or not. */
function isPageSize(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) >= 1 && Number(text) < 2 ** 31;
}
