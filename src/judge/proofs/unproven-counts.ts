import { recordCount } from '../../core/number-format.ts';
import { changing, intermittent } from '../../core/undecided.ts';
import { hasOneCount } from '../../provider/page-log.ts';
import type { CheckContext } from '../context.ts';
import { misplacement, pagesOfRun } from '../probes/list-facts.ts';
import { requestedPageOf } from '../probes/requested-page.ts';

/**
 * Expects that no answer of the run gave records beyond its own count, if count changed (2.3). Throws Undecided: count may lag
 * behind records that are added, but a right count later does not make that answer right.
 */
export async function expectNoRecordsBeyondCount({ list, snapshot }: CheckContext): Promise<void> {
  if (hasOneCount(list.pages)) return;
  const pages = [...new Set(pagesOfRun(snapshot))];
  const beyond = pages.filter((page) => {
    const requested = requestedPageOf(page);
    if (requested?.isCounted !== true || typeof page.count !== 'number' || page.itemCount === 0) return false;
    return page.count < requested.skip + page.itemCount && misplacement(page, snapshot) === null;
  });
  const [first] = beyond;
  if (first === undefined) return;
  const { target, count, itemCount } = first;
  throw intermittent(
    `GET ${target} gives ${recordCount(itemCount)} and count ${count}, which does not include all of them; other answers have ` +
      'another count',
    pages.length,
    beyond.length,
  );
}

/** Throws Undecided if count came back to an earlier value during the run (2.3), unless an earlier test shows why. */
export async function expectNoReturnOfCount({ list }: CheckContext): Promise<void> {
  const { counts } = list.pages;
  if (counts === null || !counts.hasReturned) return;
  throw changing(
    `count was ${counts.first} at first and ${counts.last} at last, and came back to an earlier value in between; repeated ` +
      'requests do not show why',
  );
}
