import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { blockedByRefusal } from '../../src/judge/probes/expected-page.ts';
import { type AcceptedAnswer, repeatAnswer, sharedAnswers } from '../../src/judge/probes/shared-answers.ts';
import { judgeCases, type PageFacts, type RuleFinding } from '../../src/judge/rules/rule.ts';
import { violationOn } from '../../src/judge/violation.ts';
import type { Page } from '../../src/provider/page.ts';

export const listItems = requirement({
  id: 'list/items',
  clause: ['2.2', '2.3'],
  smoke: true,
  rule: `Every item of every visited page matches the item schema of its resource; a printer has id, displayName and
    agent, all strings.`,
  tested: `Checks each item of the pages that list/envelope checks against the item schema (schemas/printer.schema.json, or
    the one that the target file names).`,
  breach: 'A member is missing or null, or has another type, in at least one item.',
  causes: `Members without a value are left out or written as null (most often a printer whose agent is gone). Numeric
    identifiers are written as numbers. A naming policy writes DisplayName or display_name. A second code path, such
    as a later page or a join, fills fewer fields.`,
  fix: `Make the members required in the model, write an empty string if there is no value, write identifiers as
    strings, and use one mapping for all pages.`,
  isAboutAnswers: true,
  judge: (context) =>
    judgeCases<AcceptedAnswer>(
      context,
      { atRest: false, probes: sharedAnswers, repeat: repeatAnswer, obstacle: obstacleOfPages },
      (answer) => (answer.kind === 'page' ? hasSoundItems(answer, context.list.resource) : null),
    ),
  pageRule: {
    atRest: false,
    facts: ['resource'],
    oracle: ({ page }, { resource }) => hasSoundItems(page, resource),
  },
});

function hasSoundItems(page: Page, { itemSchema }: PageFacts['resource']): RuleFinding {
  if (page.badItem === null) return page.itemCount > 0 ? 'kept' : null;
  const { index, path, message, wanted, actual } = page.badItem;
  const what = path === '' ? 'the item' : path.slice(1);
  return violationOn(page, {
    key: `${path} ${message}`,
    message: `item ${index + 1} of ${page.itemCount} in the answer to ${page.target}: ${what} ${message}`,
    expected: `${what} ${wanted === null ? 'to match' : `${wanted}, by`} the schema ${itemSchema}`,
    actual: actual === undefined ? 'missing' : actual,
    counterexample: { request: page.target, item: index, member: path },
  });
}

/** Why the plain list call gives no page; null if it gives one. */
async function obstacleOfPages({ snapshot }: CheckContext): Promise<Blocked | null> {
  const plain = await snapshot.first({});
  if (plain.kind === 'refused') return blockedByRefusal(plain);
  return plain.kind === 'page' ? null : new Blocked('list/envelope', plain.why);
}
