import { lackOf, MORE_THAN_500_RECORDS } from '../../src/core/cause.ts';
import { recordCount } from '../../src/core/number-format.ts';
import { MAX_PAGE_SIZE } from '../../src/core/page-size.ts';
import type { Json } from '../../src/core/results.ts';
import { Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext, Property } from '../../src/judge/context.ts';
import { claimedLength, estimateLength, mainTraversal } from '../../src/judge/probes/list-facts.ts';
import { type OversizeCase, oversizeCases, oversizeQuery } from '../../src/judge/probes/oversize-cases.ts';
import { obstacleOf } from '../../src/judge/probes/traversal-completeness.ts';
import { type Violation, violationOn } from '../../src/judge/violation.ts';
import type { ListAnswer, Page } from '../../src/provider/page.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';
import { isClosed } from '../../src/provider/token-answer.ts';

export const pageSizeMaximum = requirement({
  id: 'page-size/maximum',
  clause: ['4.2', '8'],
  rule: `No answer holds more than 500 records, whatever $pagesize is: more than 500, zero, negative, not a number, or an
    absurdly large number.`,
  needs: MORE_THAN_500_RECORDS,
  leastRecords: MORE_THAN_500_RECORDS.enough,
  tested: `Requests 501, 1,000 and 2,147,483,648 (the last two with a $skip), 1,000 in a drawn spelling such as 01000 or 1e3, N, 0, an empty value, a negative number, fractions,
    a word such as all, Infinity and a number of 40 digits, and counts the items. The seed decides the word, and which of them have
    $count=true or $count=false (certify sends most with and without it); every second run adds a drawn number, certify
    three of them and further forms of number such as 0x3e8. All other pages of the run are judged as well, whatever
    their query is. Refusing such a request, also by closing the connection or always with 503, keeps the rule.`,
  breach: 'An answer with 501 records or more.',
  causes: `The maximum is missing or compared wrongly. 0 or a negative number means "no limit" (as LIMIT 0, -1 or null does
    in several libraries). A number overflows to a negative one. A value that cannot be parsed selects everything
    instead of the default.`,
  fix: `Parse $pagesize as a whole number first. Refuse other values and values below 1, or use the default for them.
    Then use the smaller of the value and 500, whatever else the query contains.`,
  pageRule: {
    atRest: false,
    holdsForEncodedNames: true,
    holdsForAnyQuery: true,
    oracle: ({ page }) =>
      page.itemCount > MAX_PAGE_SIZE ? overMaximum(page, { request: page.target }) : null,
  },
  judge: async (context) => {
    // No page of a shorter list can hold more than the maximum, whatever is asked for.
    if ((await claimedLength(context.snapshot)) <= MAX_PAGE_SIZE) return;
    let judged = 0;
    const dropped: unknown[] = [];
    await context.property<OversizeCase>(
      oversizeProperty(context, await oversizeCases(context)),
      async ({ snapshot }, value) => {
        const answer = await answerOrRefusal(snapshot, value);
        if ('refusal' in answer) {
          dropped.push(answer.refusal);
          return;
        }
        judged++;
        context.exercised();
        if (answer.kind !== 'page' || answer.itemCount <= MAX_PAGE_SIZE) return;
        throw overMaximum(answer, { ...value });
      },
    );
    if (judged === 0 && dropped.length > 0) throw dropped[0];
    await expectLongList(context.snapshot);
  },
});

/** Requests of pages of more than 500 records: fixed ones, and drawn ones. */
function oversizeProperty(
  { options }: CheckContext,
  examples: Property<OversizeCase>['examples'],
): Property<OversizeCase> {
  return {
    sample: 'oversize',
    atRest: false,
    examples,
    // In `full` one, in every second run.
    runs: options.suite === 'certify' ? 3 : Math.abs(options.seed % 2),
    arbitrary: (fastCheck) =>
      fastCheck.record({
        pageSize: fastCheck.integer({ min: 501, max: 100_000 }).map(String),
        count: fastCheck.constantFrom(true, false, null),
        encoded: fastCheck.boolean(),
        skip: fastCheck.constantFrom(0, 1),
      }),
    prepare: (snapshot, value) => snapshot.query(oversizeQuery(value)),
  };
}

/** The answer to a request; the error if the request was refused without one. Throws any other error. */
async function answerOrRefusal(
  snapshot: Snapshot,
  value: OversizeCase,
): Promise<ListAnswer | { readonly refusal: unknown }> {
  try {
    return await snapshot.query(oversizeQuery(value));
  } catch (error) {
    // A firewall may refuse a request by closing its connection.
    if (!isClosed(error) && !(await isUnavailableAlone(snapshot, error))) throw error;
    return { refusal: error };
  }
}

/** Throws Undecided if the list only claims more than 500 records: it may be too short to break the rule. */
async function expectLongList(snapshot: Snapshot): Promise<void> {
  if ((await estimateLength(snapshot)) > MAX_PAGE_SIZE) return;
  const obstacle = await obstacleOf(snapshot, await mainTraversal(snapshot));
  if (obstacle !== null) throw obstacle;
  throw new Undecided(lackOf(MORE_THAN_500_RECORDS), 'its count claims more records than its pages give');
}

/** Whether a request is answered 429 or 503, and another one is not: then it is refused so. */
async function isUnavailableAlone({ client }: Snapshot, error: unknown): Promise<boolean> {
  if (!(error instanceof Undecided) || error.cause.kind !== 'unavailable') return false;
  const control = await client.authorized(`${client.path}?$pagesize=1`);
  return control.kind === 'page';
}

function overMaximum(page: Page, counterexample: { readonly [name: string]: Json }): Violation {
  return violationOn(page, {
    message: `GET ${page.target} was answered with ${recordCount(page.itemCount)}; no page holds more than ${MAX_PAGE_SIZE}`,
    expected: `at most ${MAX_PAGE_SIZE}`,
    actual: page.itemCount,
    counterexample,
  });
}
