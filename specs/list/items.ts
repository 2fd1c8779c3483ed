import { prose } from '../../src/core/prose.ts';
import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { blockedByRefusal } from '../../src/judge/expected-page.ts';
import { listAnswerRule, sharedAnswers } from '../../src/judge/rules/list-answer-rule.ts';
import type { PageFacts } from '../../src/judge/rules/page-facts.ts';
import { type Violation, violationOn } from '../../src/judge/violation.ts';
import type { ListAnswer, Page } from '../../src/provider/page.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';

export const listItems = requirement({
  id: 'list/items',
  clause: ['2.2', '2.3'],
  smoke: true,
  rule: prose`Every item of every visited page matches the item schema of its resource; a printer has id, displayName and
    agent, all strings.`,
  tested: prose`Checks each item of the pages that list/envelope checks against the item schema (schemas/printer.schema.json, or
    the one that the target file names).`,
  breach: 'A member is missing or null, or has another type, in at least one item.',
  causes: prose`Members without a value are left out or written as null (most often a printer whose agent is gone). Numeric
    identifiers are written as numbers. A naming policy writes DisplayName or display_name. A second code path, such
    as a later page or a join, fills fewer fields.`,
  fix: prose`Make the members required in the model, write an empty string if there is no value, write identifiers as
    strings, and use one mapping for all pages.`,
  isAboutAnswers: true,
  ...listAnswerRule({ oracle: hasSoundItems, probes: answersWithPages }),
  oracle: {
    atRest: false,
    facts: ['resource'],
    decide: ({ page }, { resource }) => hasSoundItems(page, resource),
  },
});

function hasSoundItems(answer: ListAnswer, resource: PageFacts['resource']): 'kept' | Violation | null {
  if (answer.kind !== 'page') return null;
  if (answer.badItem !== null) return badItem(answer, answer.badItem, resource);
  return answer.itemCount > 0 ? 'kept' : null;
}

/** Throws Blocked, after the answers, if the plain list call gives no page. */
async function* answersWithPages(context: CheckContext, snapshot: Snapshot): AsyncGenerator<ListAnswer> {
  yield* sharedAnswers(context, snapshot);
  const plain = await snapshot.first({});
  if (plain.kind === 'refused') throw blockedByRefusal(plain);
  if (plain.kind !== 'page') throw new Blocked('list/envelope', plain.why);
}

function badItem(
  page: Page,
  bad: NonNullable<Page['badItem']>,
  { itemSchema }: PageFacts['resource'],
): Violation {
  const { index, path, message, wanted, actual } = bad;
  const what = path === '' ? 'the item' : path.slice(1);
  return violationOn(page, {
    key: `${path} ${message}`,
    message: `item ${index + 1} of ${page.itemCount} in the answer to ${page.target}: ${what} ${message}`,
    expected: `${what} ${wanted === null ? 'to match' : `${wanted}, by`} the schema ${itemSchema}`,
    actual: actual === undefined ? 'missing' : actual,
    counterexample: { request: page.target, item: index, member: path },
  });
}
