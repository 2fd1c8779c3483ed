import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/exchange.ts';
import { CallLog } from '../../../src/provider/call-log.ts';

/** A log of calls with status 200 and a list, each from its start to its end in milliseconds, numbered from 1. */
function logOf(...calls: readonly (readonly [from: number, to: number])[]): CallLog {
  const log = new CallLog();
  for (const [index, [from, to]] of calls.entries())
    log.note({
      number: index + 1,
      request: { target: '/v1/printers' },
      answer: { status: 200, headers: [] },
      startedAt: from,
      durationMs: to - from,
    } as unknown as Exchange);
  for (const number of calls.keys()) log.noteList(number + 1);
  return log;
}

describe('answers without a list', () => {
  it('may be of an outage if no call was answered with a list between the first and the last of them', () => {
    const log = logOf([0, 1], [2, 3], [4, 5], [6, 7]);
    expect(log.mayBeOfOutage([2, 3])).toBe(true);
    expect(log.mayBeOfOutage([1, 3])).toBe(false);
  });

  it('may be of an outage if another call was under way at its start or end', () => {
    const log = logOf([0, 10], [5, 25], [20, 30], [28, 50], [40, 60]);
    expect(log.mayBeOfOutage([1, 3])).toBe(true);
    expect(log.mayBeOfOutage([1, 5])).toBe(false);
  });
});
