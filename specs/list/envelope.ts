import { prose } from '../../src/core/prose.ts';
import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { blockedByRefusal } from '../../src/judge/expected-page.ts';
import { sharedAnswers } from '../../src/judge/shared-answers.ts';
import { Violation } from '../../src/judge/violation.ts';
import type { ListAnswer } from '../../src/provider/page.ts';

export const listEnvelope = requirement({
  id: 'list/envelope',
  clause: ['2.3', '4.2'],
  smoke: true,
  rule: 'A list answer is one JSON object with an array named items. It may hold more members.',
  needs: null,
  tested: prose`Checks every answer with status 200 to a list call against schemas/list-envelope.schema.json: page sizes from 1
    to 500, with and without $count, first and linked pages, pages requested by $skip, names spelled with %24.`,
  breach:
    'A bare array, another member name (value, data, Items), items null or missing, or a body that is not JSON.',
  causes: prose`A serialiser with another naming policy (stock ASP.NET OData writes value, or Items). An empty list written as
    null or left out. An exception while the answer is written, closed as if it were complete. A login page or an
    error page with status 200.`,
  fix: prose`Name the member items in the serialiser and write an empty list as []. Build the whole answer before the status
    is sent. Give errors an error status.`,
  judge: async (context) => {
    /** How many of the answers show the breach. */
    let share: string | null = null;
    await context.confirm({ atRest: false }, async (snapshot) => {
      const plain = await snapshot.first({});
      if (plain.kind === 'refused') throw new Blocked('authorization/accepted', plain.why);
      let judged = 0;
      const broken: ListAnswer[] = [];
      for await (const answer of sharedAnswers(context, snapshot)) {
        if (answer.kind === 'refused') {
          context.limitedBy(blockedByRefusal(answer));
          continue;
        }
        context.exercised();
        judged++;
        if (answer.kind === 'page') continue;
        broken.push(answer);
        // A snapshot that confirms a breach requests no more than it needs.
        if (snapshot !== context.snapshot) break;
      }
      if (broken.length > 0 && snapshot === context.snapshot) share = `${broken.length} of ${judged} answers`;
      const [first] = broken;
      if (first === undefined || first.kind === 'page') return;
      throw new Violation({
        // An answer proves a breach by itself, so one to any other call confirms it.
        key: 'no envelope',
        message: `the answer to ${first.target} is no list envelope: ${first.why}${share === null ? '' : ` (${share})`}`,
        expected: 'a JSON object whose items is an array',
        actual: first.why,
        exchanges: [first.exchange],
      });
    });
  },
});
