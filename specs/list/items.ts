import { prose } from '../../src/core/prose.ts';
import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { blockedByRefusal } from '../../src/judge/expected-page.ts';
import { sharedAnswers } from '../../src/judge/shared-answers.ts';
import { Violation } from '../../src/judge/violation.ts';

export const listItems = requirement({
  id: 'list/items',
  clause: ['2.2', '2.3'],
  smoke: true,
  rule: prose`Every item of every visited page matches the item schema of its resource; a printer has id, displayName and
    agent, all strings.`,
  needs: null,
  tested: prose`Checks each item of the pages that list/envelope checks against the item schema (schemas/printer.schema.json, or
    the one that the target file names).`,
  breach: 'A member is missing or null, or has another type, in at least one item.',
  causes: prose`Members without a value are left out or written as null (most often a printer whose agent is gone). Numeric
    identifiers are written as numbers. A naming policy writes DisplayName or display_name. A second code path, such
    as a later page or a join, fills fewer fields.`,
  fix: prose`Make the members required in the model, write an empty string if there is no value, write identifiers as
    strings, and use one mapping for all pages.`,
  judge: async (context) => {
    await context.confirm({ atRest: false }, async (snapshot) => {
      for await (const answer of sharedAnswers(context, snapshot)) {
        if (answer.kind === 'refused') context.limitedBy(blockedByRefusal(answer));
        if (answer.kind !== 'page') continue;
        if (answer.itemCount > 0) context.exercised();
        if (answer.badItem === null) continue;
        const { index, path, message, wanted, actual } = answer.badItem;
        const what = path === '' ? 'the item' : path.slice(1);
        throw new Violation({
          key: `${path} ${message}`,
          message: `item ${index + 1} of ${answer.itemCount} in the answer to ${answer.target}: ${what} ${message}`,
          expected: `${what} ${wanted === null ? 'to match' : `${wanted}, by`} the schema ${context.list.resource.itemSchema}`,
          actual: actual === undefined ? 'missing' : actual,
          counterexample: { request: answer.target, item: index, member: path },
          exchanges: [answer.exchange],
        });
      }
      const plain = await snapshot.first({});
      if (plain.kind !== 'page') {
        throw new Blocked(plain.kind === 'refused' ? 'authorization/accepted' : 'list/envelope', plain.why);
      }
    });
  },
});
