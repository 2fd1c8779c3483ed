import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { blockedByNoPage } from '../../src/judge/probes/expected-page.ts';
import { countedPagesAndPagesByParameters } from '../../src/judge/probes/pages-by-parameters.ts';
import {
  counterexampleOf,
  countFault,
  mayBePastTheEnd,
  reportedCount,
} from '../../src/judge/probes/requested-page.ts';
import { pageRule } from '../../src/judge/rules/rule.ts';
import { violationOfStatus, violationOn } from '../../src/judge/violation.ts';
import { hasUnspecifiedPageSize } from '../../src/provider/link.ts';
import { isOtherSuccess } from '../../src/provider/page.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';

export const countPresent = requirement({
  id: 'count/present',
  clause: ['2.3', '4.3.2'],
  smoke: true,
  rule: 'If $count is true, every page gives count, a whole number that is 0 or greater.',
  tested: `Reads count on the pages that are requested with $count=true: first pages, linked pages and pages requested by
    their parameters.`,
  breach: 'count is missing, null, negative, a fraction or a string on at least one page.',
  causes: `The total is computed for the first page only. -1 means "unknown". A serialiser that leaves out defaults drops a
    total of 0. 64-bit numbers are written as strings.`,
  fix: 'Write count as a JSON number on every page that is requested with $count=true, also if it is 0.',
  isAboutAnswers: true,
  ...pageRule({
    atRest: false,
    probes: async function* (context) {
      await expectCountedList(context.snapshot);
      yield* countedPagesAndPagesByParameters(context);
    },
    oracle: (requested) => {
      if (requested.isCounted !== true || mayBePastTheEnd(requested)) return null;
      const { page } = requested;
      const fault = countFault(page);
      if (fault === null) return 'kept';
      // Without records it may be the refusal of a page size outside 1 to 500, whose form is open (8).
      if (page.itemCount === 0 && hasUnspecifiedPageSize(page.target)) return null;
      return violationOn(page, {
        key: `${requested.position?.number === 1} ${fault.replaceAll(/\d+/g, 'N')}`,
        message:
          `count ${fault} in the answer to ${page.target}; ` +
          'with $count=true every page gives it as an integer of 0 or more',
        expected: 'an integer of 0 or more',
        actual: reportedCount(page) ?? 'none',
        counterexample: counterexampleOf(requested),
      });
    },
  }),
});

/** Calls that must be refused as well before $count is the reason: one of several servers may refuse calls, or a busy one. */
const MAX_TRIES = 3;

/** Throws the Violation of a list that is given without `$count` and refused with it, or Blocked for one that is not given. */
async function expectCountedList(snapshot: Snapshot): Promise<void> {
  const plain = await snapshot.first({});
  const counted = await snapshot.first({ count: true });
  if (plain.kind !== 'page') throw blockedByNoPage(plain, plain.why);
  if (isOtherSuccess(counted))
    throw new Blocked('authorization/accepted', `$count=true is answered ${counted.status}`);
  if (counted.kind !== 'refused') return;
  for (let tries = 0; tries < MAX_TRIES; tries++)
    if ((await snapshot.client.authorized(counted.target)).kind !== 'refused')
      throw new Blocked(
        'authorization/accepted',
        `$count=true was answered ${counted.status}, and is accepted right after`,
      );
  throw violationOfStatus(counted.status, {
    key: 'refused',
    message: `GET ${counted.target} was answered ${counted.status}; with $count=true the list is given with its count`,
    exchanges: [counted, plain],
  });
}
