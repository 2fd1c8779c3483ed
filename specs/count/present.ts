import { prose } from '../../src/core/prose.ts';
import { Blocked } from '../../src/core/undecided.ts';
import { isOtherSuccess } from '../../src/judge/accepted.ts';
import { requirement } from '../../src/judge/check.ts';
import { countedInTurn, faultOf, told } from '../../src/judge/count-value.ts';
import { judgeEveryPage } from '../../src/judge/every-page.ts';
import { Violation } from '../../src/judge/findings.ts';

export const countPresent = requirement({
  id: 'count/present',
  clause: ['2.3', '4.3.2'],
  smoke: true,
  rule: 'When $count is true, every page gives count, a whole number that is 0 or greater.',
  needs: null,
  tested: prose`Reads count of the pages that are asked for with $count=true: first ones, linked ones and those asked for
      by their parameters.`,
  breach: 'count is missing, null, negative, a fraction or a string on at least one page.',
  causes: prose`The total computed for the first page only; -1 for "unknown"; a total of 0 dropped by a serialiser that
      leaves defaults out; 64-bit numbers written as strings.`,
  fix: prose`Write count as a JSON number on every page that was asked for with $count=true, also where it
      is 0.`,
  judge: async (context) => {
    await context.settle({ atRest: false }, async (view) => {
      const plain = await view.first({});
      const counted = await view.first({ count: true });
      if (plain.kind === 'page' && isOtherSuccess(counted))
        throw new Blocked('authorization/accepted', `$count=true is answered ${counted.status}`);
      if (plain.kind === 'page' && counted.kind === 'refused') {
        throw new Violation({
          key: 'refused',
          message: `GET ${counted.target} was answered ${counted.status}; with $count=true the list is given with its count`,
          expected: 200,
          actual: counted.status,
          exchanges: [counted.exchange, plain.exchange],
        });
      }
      if (plain.kind !== 'page')
        throw new Blocked(plain.kind === 'refused' ? 'authorization/accepted' : 'list/envelope', plain.why);
      for await (const { page, number } of countedInTurn(context, view)) {
        context.exercised();
        const fault = faultOf(page);
        if (fault === null) continue;
        throw new Violation({
          key: `${number === 1} ${fault.replaceAll(/\d+/g, 'N')}`,
          message: `count ${fault} in the answer to ${page.target} (page ${number}); with $count=true every page gives it as an integer of 0 or more`,
          expected: 'an integer of 0 or more',
          actual: told(page) ?? 'none',
          counterexample: { request: page.target, page: number },
          exchanges: [page.exchange],
        });
      }
    });
    await judgeEveryPage(context, { atRest: false }, ({ page, counting }) => {
      const fault = counting === true ? faultOf(page) : null;
      if (fault === null) return null;
      return new Violation({
        key: page.target,
        message: `count ${fault} in the answer to ${page.target}; with $count=true every page gives it as an integer of 0 or more`,
        expected: 'an integer of 0 or more',
        actual: told(page) ?? 'none',
        counterexample: { request: page.target },
        exchanges: [page.exchange],
      });
    });
  },
});
