import { MORE_THAN_500_RECORDS } from '../../src/core/cause.ts';
import { prose } from '../../src/core/prose.ts';
import { requirement } from '../../src/judge/check.ts';
import { lengthOf } from '../../src/judge/evidence.ts';
import { Violation } from '../../src/judge/findings.ts';
import { type Oversize, oversizeCases, oversizeQuery } from '../../src/judge/oversize.ts';
import { MAXIMUM } from '../../src/judge/sizes.ts';

export const pageSizeMaximum = requirement({
  id: 'page-size/maximum',
  clause: ['4.2', '8'],
  smoke: false,
  rule: prose`No answer holds more than 500 records, whatever $pagesize asks for: more than 500, zero, a negative
      number, something that is no number, or an absurdly large one.`,
  needs: MORE_THAN_500_RECORDS,
  tested: prose`Asks for 501, 1,000 (from a $skip on), N, 0, nothing, a negative number, a fraction, a word and numbers
      past 32 and 64 bits, for certify also for numbers drawn from the run's seed, and counts the items. Refusing such a request keeps the rule.`,
  breach: 'An answer with 501 records or more.',
  causes: prose`The maximum missing, or checked with a wrong comparison; 0 or a negative number taken to mean "no
      limit" (as LIMIT 0, -1 or a null does in several libraries); a number that overflows to a negative one; a value
      that cannot be parsed and falls to "everything" in place of the default.`,
  fix: prose`Parse $pagesize as a whole number first; refuse what is none, or below 1, or take the default
      for it; then take the smaller of it and 500, whatever else the query says.`,
  judge: async (context) => {
    // No page of a shorter list can hold more than the maximum, whatever is asked for.
    if ((await lengthOf(context.view)) <= MAXIMUM) return;
    await context.property<Oversize>(
      {
        sample: 'oversize',
        atRest: false,
        examples: await oversizeCases(context, context.view),
        runs: context.options.suite === 'certify' ? 5 : 0,
        arbitrary: (fastCheck) =>
          fastCheck.record({
            pageSize: fastCheck.integer({ min: 501, max: 100_000 }).map(String),
            count: fastCheck.boolean(),
            encoded: fastCheck.boolean(),
            skip: fastCheck.constantFrom(0, 1),
          }),
        prepare: (view, value) => view.query(oversizeQuery(value)),
      },
      async (view, value) => {
        const answer = await view.query(oversizeQuery(value));
        context.exercised();
        if (answer.kind !== 'page' || answer.itemCount <= MAXIMUM) return;
        throw new Violation({
          key: oversizeQuery(value),
          message: `GET ${answer.target} was answered with ${answer.itemCount} records; no page holds more than ${MAXIMUM}`,
          expected: `at most ${MAXIMUM}`,
          actual: answer.itemCount,
          counterexample: { ...value },
          exchanges: [answer.exchange],
        });
      },
    );
  },
});
