import { expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/exchange.ts';
import { CallLog } from '../../../src/provider/call-log.ts';
import type { Page } from '../../../src/provider/page.ts';
import { PageLog } from '../../../src/provider/page-log.ts';

const TARGET = '/v1/units?$count=true';

/** The log of calls that each gave a count, from a time to another one, in the order of their answers. */
function logOf(answers: readonly (readonly [count: number, from: number, to: number])[]): PageLog {
  const calls = new CallLog();
  const pages = new PageLog('/v1/units', { tenant: 'acme' }, calls);
  for (const [index, [count, from, to]] of answers.entries()) {
    const number = index + 1;
    const request = { target: TARGET };
    calls.note({ number, request, startedAt: from, durationMs: to - from } as unknown as Exchange);
    const page = { exchange: number, target: TARGET, itemCount: 1, count, identities: new BigUint64Array(1) };
    pages.note(page as unknown as Page, null);
  }
  return pages;
}

it.each([
  [
    'changes once',
    [
      [501, 0, 1],
      [501, 2, 3],
      [500, 4, 5],
      [500, 6, 7],
    ],
    false,
  ],
  [
    'is given as before by a call that was in progress when it changed',
    [
      [501, 0, 1],
      [500, 2, 4],
      [501, 3, 6],
      [500, 7, 8],
    ],
    false,
  ],
  [
    'comes back in a later call',
    [
      [501, 0, 1],
      [500, 2, 4],
      [501, 5, 6],
    ],
    true,
  ],
  [
    'comes back in calls after one that was in progress',
    [
      [501, 0, 1],
      [500, 2, 4],
      [501, 3, 5],
      [501, 6, 7],
    ],
    true,
  ],
] as const)('a count that %s: %j has returned: %s', (_what, answers, hasReturned) => {
  const { counts } = logOf(answers);
  expect(counts).toMatchObject({ first: 501, last: answers.at(-1)?.[0], least: 500, hasReturned });
});
