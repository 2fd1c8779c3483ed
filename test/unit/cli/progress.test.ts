import stringWidth from 'string-width';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { liveProgress, plainProgress, silentProgress } from '../../../src/cli/run/progress.ts';
import type { RunEvent } from '../../../src/core/results.ts';
import { keptOutput } from '../../support/fake-host.ts';
import { FORBIDDEN, HOSTILE, judged, target } from '../../support/report/sample.ts';

function events(name: string): readonly RunEvent[] {
  const [failed, passed, left] = [
    judged('link/offset', 'fail', { reason: 'it is 20' }),
    judged('link/query', 'pass'),
    judged('count/present', 'skipped'),
  ];
  const verdicts = [failed, passed, left];
  return [
    { type: 'target-started', target: name, requirements: 3, selected: 2 },
    { type: 'progress', target: name, requests: 1234, pages: 12, records: 5000 },
    ...verdicts.map((result): RunEvent => ({ type: 'verdict', target: name, result })),
    { type: 'target-finished', target: name, result: target(verdicts) },
  ];
}

describe('plain progress', () => {
  test('writes one line per start, per failure and error, and per end', () => {
    const output = keptOutput();
    const { listener } = plainProgress(output, 'full');
    for (const event of events('acme')) listener(event);
    const open = judged('token/shape', 'inconclusive', { reason: 'blocked by token/issued' });
    listener({ type: 'verdict', target: 'acme', result: open });
    expect(output.text()).toBe(
      'acme: started, 2 of 3 requirements\nacme: link/offset fail: it is 20\nacme: non-conformant, 1 failed, 1 passed, 1 skipped\n',
    );
  });

  test('is harmless for any name of a target', () => {
    const output = keptOutput();
    for (const event of events(HOSTILE)) plainProgress(output, 'full').listener(event);
    expect(output.text()).not.toMatch(FORBIDDEN);
  });
});

describe('no progress', () => {
  test('writes only explicit messages', () => {
    const output = keptOutput();
    const progress = silentProgress(output);
    for (const event of events('acme')) progress.listener(event);
    progress.say('stopping');
    progress.finish();
    expect(output.text()).toBe('stopping\n');
  });
});

describe('live progress', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('rewrites one line, truncates it to the terminal, and clears it at the end', () => {
    const output = keptOutput({ live: true, width: () => 50 });
    const progress = liveProgress(output);
    for (const event of events('acme')) progress.listener(event);
    // One that is judged again counts once.
    progress.listener({ type: 'verdict', target: 'acme', result: judged('link/query', 'pass') });
    vi.advanceTimersByTime(2050);
    progress.finish();
    const lines = output.text().split('\r\u001b[2K');
    expect(output.text()).not.toContain('\n');
    expect(lines.at(-1)).toBe('');
    expect(lines.at(-2)).toMatch(/^2 s {2}3 of 3 requirements {2}1 failed {2}1,234/u);
    for (const line of lines) expect(stringWidth(line)).toBeLessThan(50);
  });

  test('writes a message after its end without the line', () => {
    const output = keptOutput({ live: true, width: () => 50 });
    const progress = liveProgress(output);
    for (const event of events('acme')) progress.listener(event);
    progress.finish();
    progress.say('stopping');
    expect(output.text().split('\r\u001b[2K').at(-1)).toBe('stopping\n');
  });

  test('adds up several targets', () => {
    const output = keptOutput({ live: true, width: () => 200 });
    const progress = liveProgress(output);
    for (const event of events('one')) progress.listener(event);
    for (const event of events('two').slice(0, 2)) progress.listener(event);
    vi.advanceTimersByTime(100);
    progress.finish();
    expect(output.text()).toContain('1 of 2 targets done');
    expect(output.text()).toContain('2,468 requests  24 pages  10,000 records');
  });

  test('writes a separate line without breaking the live one', () => {
    const output = keptOutput({ live: true, width: () => 80 });
    const progress = liveProgress(output);
    progress.say('assay: stopping');
    progress.finish();
    expect(output.text()).toContain('\r\u001b[2Kassay: stopping\n');
  });
});
