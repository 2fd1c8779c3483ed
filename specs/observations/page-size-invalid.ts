import { named, ODD_SIZES, outcomesOf, records, seen } from '../../src/judge/list-departures.ts';
import { observation } from '../../src/judge/observe.ts';
import { parameterIn } from '../../src/judge/tally.ts';

export const pageSizeInvalid = observation({
  id: 'observe/page-size-invalid',
  clause: ['4.2'],
  of: 'What $pagesize does when it is zero, negative, fractional, empty, no number, past 32 or 64 bits, or given twice. Worth a look at any 5xx.',
  advice: "RFC 9110, section 15.5.1: a value that cannot be read is the client's error (400), never a 5xx.",
  scope: 'list',
  asks: true,
  observe: async (context) => {
    const all = await outcomesOf(context);
    const odd = context.looks
      .at(0)
      .answers()
      .flatMap((answer) => {
        const size = parameterIn(answer.target, '$pagesize');
        return size === null || isPageSize(size) ? [] : [[`$pagesize=${size}`, answer] as const];
      })
      // Not in the order in which they happened to be answered: the same run says the same.
      .toSorted(([, one], [, other]) => one.target.localeCompare(other.target, 'en', { numeric: true }));
    return seen([...odd, ...named(all, ODD_SIZES)], records);
  },
});

/** Whether a text is a page size that a provider can be expected to know, above the maximum or not. */
function isPageSize(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) >= 1 && Number(text) < 2 ** 31;
}
