import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { countdown } from '../../../src/cli/run/progress.ts';

const MINUTE = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function reportedWaits(): { readonly sentences: string[]; readonly wait: ReturnType<typeof countdown> } {
  const sentences: string[] = [];
  return { sentences, wait: countdown((sentence) => sentences.push(sentence)) };
}

describe('the countdown of a certification', () => {
  it('reports the remaining lifetime of a token every minute, and stops', () => {
    const { sentences, wait } = reportedWaits();
    wait.begin(Date.now() + 60 * MINUTE);
    vi.advanceTimersByTime(90 * MINUTE);
    expect(sentences).toHaveLength(60);
    expect(sentences[0]).toBe(
      'assay: waiting for a token to expire, 60 min 00 s left; other checks continue',
    );
    expect(sentences[1]).toContain('59 min 00 s left');
    expect(sentences.at(-1)).toContain('1 min 00 s left');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('shows the longest of several waits once', () => {
    const { sentences, wait } = reportedWaits();
    wait.begin(Date.now() + 10 * MINUTE);
    vi.advanceTimersByTime(MINUTE / 2);
    wait.begin(Date.now() + 20 * MINUTE);
    vi.advanceTimersByTime(MINUTE / 2);
    expect(sentences).toHaveLength(2);
    expect(sentences[1]).toContain('19 min 30 s left');
    vi.advanceTimersByTime(30 * MINUTE);
    expect(sentences).toHaveLength(21);
    expect(sentences.at(-1)).toContain('30 s left');
  });

  it('restarts for a later wait', () => {
    const { sentences, wait } = reportedWaits();
    wait.begin(Date.now() + MINUTE / 2);
    vi.advanceTimersByTime(5 * MINUTE);
    wait.begin(Date.now() + 2 * MINUTE);
    vi.advanceTimersByTime(5 * MINUTE);
    expect(sentences.map((sentence) => /, ([^,]*) left/u.exec(sentence)?.[1])).toEqual([
      '30 s',
      '2 min 00 s',
      '1 min 00 s',
    ]);
  });

  it('reports neither short waits nor anything after stop', () => {
    const { sentences, wait } = reportedWaits();
    wait.begin(Date.now() + 4_000);
    vi.advanceTimersByTime(MINUTE);
    expect(sentences).toEqual([]);
    wait.begin(Date.now() + 60 * MINUTE);
    wait.stop();
    vi.advanceTimersByTime(60 * MINUTE);
    expect(sentences).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
