import { Blocked } from '../src/core/undecided.ts';
import { answersInTurn } from '../src/judge/answers.ts';
import { check } from '../src/judge/check.ts';
import { causeOfRefusal } from '../src/judge/evidence.ts';
import { Violation } from '../src/judge/findings.ts';

/** Chapter list: the envelope and its items (2.2, 2.3). */
export const list = [
  check('list/envelope', async (context) => {
    await context.settle({ atRest: false }, async (view) => {
      const plain = await view.first({});
      if (plain.kind === 'refused') throw new Blocked('authorization/accepted', plain.why);
      for await (const answer of answersInTurn(context, view)) {
        if (answer.kind === 'refused') {
          context.curtailed(causeOfRefusal(answer));
          continue;
        }
        context.exercised();
        if (answer.kind === 'page') continue;
        throw new Violation({
          key: answer.target,
          message: `the answer to ${answer.target} is no list envelope: ${answer.why}`,
          expected: 'a JSON object whose items is an array',
          actual: answer.why,
          exchanges: [answer.exchange],
        });
      }
    });
  }),

  check('list/items', async (context) => {
    await context.settle({ atRest: false }, async (view) => {
      for await (const answer of answersInTurn(context, view)) {
        if (answer.kind === 'refused') context.curtailed(causeOfRefusal(answer));
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
      const plain = await view.first({});
      if (plain.kind !== 'page') {
        throw new Blocked(plain.kind === 'refused' ? 'authorization/accepted' : 'list/envelope', plain.why);
      }
    });
  }),
];
