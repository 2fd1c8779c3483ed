import { describe, expect, it } from 'vitest';
import { CallLog } from '../../../src/provider/call-log.ts';
import { LinkLog } from '../../../src/provider/link-log.ts';
import type { Page } from '../../../src/provider/page.ts';

const targetAt = (skip: number): string => `/v1/printers?$count=true&$pagesize=50&$skip=${skip}`;

/** A log of pages of 50 records, each with the $skip of its request and that of its link. */
function logOf(...pages: readonly (readonly [skip: number, linked: number])[]): LinkLog {
  const log = new LinkLog(new CallLog());
  for (const [index, [skip, linked]] of pages.entries()) {
    const page = {
      exchange: index + 1,
      target: targetAt(skip),
      itemCount: 50,
      count: 200,
      link: targetAt(linked),
    };
    log.notePage(page as Page, targetAt(linked));
  }
  return log;
}

describe('a page to which a link with a wrong offset led', () => {
  it('is that of the link, and those that follow it', () => {
    const log = logOf([0, 60], [60, 110], [200, 250]);
    expect([60, 110, 250].map((skip) => log.hasWrongOffset(targetAt(skip)))).toEqual([true, true, false]);
  });

  it('is none to which another link leads rightly, as those of a page that was given in place of another do not', () => {
    expect(logOf([128, 50], [0, 50]).hasWrongOffset(targetAt(50))).toBe(false);
  });

  it('is none that only its own link leads to', () => {
    expect(logOf([50, 50]).hasWrongOffset(targetAt(50))).toBe(false);
  });
});
