import { type Defect, defectsWith, having, type Row } from '../catalogue-rows.ts';
import { addToCount, addToOffset, changeRecordCountAt, isOfSize, onPages } from '../page-changes.ts';
import { acceptedDefects } from './authorization-accepted.ts';
import { connectionDefects } from './authorization-connections.ts';
import { rareOpeningDefects } from './authorization-rare-openings.ts';
import { gateDefects } from './authorization-required.ts';
import { schemeAndPathDefects } from './authorization-scheme-and-path.ts';
import { countDefects } from './count.ts';
import { jwtDefects } from './jwt-integrity.ts';
import { linkPresenceDefects } from './link-presence.ts';
import { linkTargetDefects } from './link-target.ts';
import { listDefects } from './list.ts';
import { pageSizeDefects } from './page-size.ts';
import { sizeSpellingDefects } from './page-size-spellings.ts';
import { tokenAnswerDefects } from './token-answers.ts';
import { earlyEndDefects } from './token-early-end.ts';
import { tokenIntegrityDefects } from './token-integrity.ts';
import { issuedDefects } from './token-issued.ts';
import { lateEndDefects } from './token-late-end.ts';
import { tokenRaceDefects } from './token-races.ts';
import { tokenRequestDefects } from './token-requests.ts';
import { secretDefects } from './token-secret.ts';
import { byParametersDefects } from './traversal-by-parameters.ts';
import { followableDefects } from './traversal-followable.ts';
import { traversalRecordDefects } from './traversal-records.ts';

/** What is broken at one page size: one record too many, one too few, $skip or count one too high. */
export const SWEEP_KINDS = ['limit', 'filled', 'offset', 'count'] as const;

export type SweepKind = (typeof SWEEP_KINDS)[number];

const ROWS: Readonly<Record<SweepKind, (size: number) => Row>> = {
  limit: (size) =>
    having({
      must: ['page-size/limit'],
      keywords: ['record'],
      may: ['page-size/filled', 'page-size/maximum'],
    })
      .subtle(`A page size of ${size} gives ${size + 1} records; all other sizes are correct.`)
      .by(changeRecordCountAt(size, size + 1)),
  filled: (size) =>
    having({ must: ['page-size/filled'], keywords: ['record'] })
      .subtle(`A page size of ${size} gives ${size - 1} records; all other sizes are correct.`)
      .by(changeRecordCountAt(size, size - 1)),
  offset: (size) =>
    having({
      must: ['link/offset'],
      keywords: ['$skip'],
      may: ['traversal/same-records', 'count/equals-records'],
    })
      .subtle(`With a page size of ${size}, $skip of nextPageLink is one too high; other sizes are correct.`)
      .by(onPages(isOfSize(size))(addToOffset(1))),
  count: (size) =>
    having({ must: ['count/stable'], keywords: ['count'], may: ['count/equals-records'] })
      .subtle(`With a page size of ${size} count is one more than with others.`)
      .by(onPages(isOfSize(size))(addToCount(1))),
};

/**
 * A defect that shows at one page size only, named `sweep-<kind>-at-<size>`. Throws RangeError unless `size` is a
 * whole number from 1 (for `filled`, from 2) to 500.
 */
export function sweepDefect(kind: SweepKind, size: number): Defect {
  // A page of one record cannot have one record less.
  const least = kind === 'filled' ? 2 : 1;
  if (!Number.isInteger(size) || size < least || size > 500)
    throw new RangeError(`the page size must be a whole number from ${least} to 500, not ${size}`);
  const id = `sweep-${kind}-at-${size}`;
  return defectsWith({})({ [id]: ROWS[kind](size) })[0] as Defect;
}

/** The sweep defect with this identifier, or undefined. Throws RangeError for an impossible page size. */
function findSweepDefect(id: string): Defect | undefined {
  const named = /^sweep-([a-z]+)-at-(\d{1,9})$/.exec(id);
  const kind = SWEEP_KINDS.find((one) => one === named?.[1]);
  return kind === undefined ? undefined : sweepDefect(kind, Number(named?.[2]));
}

/** All defects, in catalogue order. */
export const defects: readonly Defect[] = [
  ...issuedDefects,
  ...tokenAnswerDefects,
  ...tokenRequestDefects,
  ...tokenRaceDefects,
  ...secretDefects,
  ...earlyEndDefects,
  ...lateEndDefects,
  ...acceptedDefects,
  ...connectionDefects,
  ...gateDefects,
  ...rareOpeningDefects,
  ...schemeAndPathDefects,
  ...tokenIntegrityDefects,
  ...jwtDefects,
  ...listDefects,
  ...pageSizeDefects,
  ...sizeSpellingDefects,
  ...linkPresenceDefects,
  ...linkTargetDefects,
  ...followableDefects,
  ...traversalRecordDefects,
  ...byParametersDefects,
  ...countDefects,
];

/** The defect with this identifier, including sweep defects. Throws RangeError if there is none. */
export function findDefect(id: string): Defect {
  const found = defects.find((defect) => defect.id === id) ?? findSweepDefect(id);
  if (found === undefined) throw new RangeError(`unknown defect ${id}`);
  return found;
}
