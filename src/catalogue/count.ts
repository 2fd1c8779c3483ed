import type { Requirement } from '../core/requirement.ts';
import { prose } from './prose.ts';

/** The total in the envelope (clauses 2.3 and 4.3). A count that is null counts as absent. */
export const count: readonly Requirement[] = [
  {
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
  },
  {
    id: 'count/stable',
    clause: ['2.3', '4.3.2'],
    smoke: false,
    rule: 'As long as the data rests, count has the same value on every page and for every page size.',
    needs: null,
    tested: prose`Compares count over all pages and page sizes of the run, and repeats the walk before it calls a
      difference a breach.`,
    breach: 'count differs from page to page, or from page size to page size.',
    causes: prose`count of what remains after $skip; the number of pages, or of records on this page; an estimate of the
      database's statistics; replicas that lag behind one another.`,
    fix: prose`Count the whole filtered list for every page, without page size, offset or cap, and from the
      same source; or take the number once and keep it for the walk.`,
  },
  {
    id: 'count/equals-records',
    clause: ['2.3', '4.3.2'],
    smoke: true,
    rule: 'As long as the data rests, count is the number of different records that a walk over the list reaches.',
    needs: null,
    tested: prose`Walks the list to its end, counts different identifiers and compares the sum with count; repeats both
      before it calls a difference a breach.`,
    breach: 'count says 1,234 and the walk reaches 1,233, or the other way round.',
    causes: prose`count taken before filters by tenant, permission or deletion that the list applies (or after); the length
      of the page; a cap such as 10,000; rows of a join counted in place of records.`,
    fix: prose`Count with the very filter that the pages are read with: the same permissions, the same
      deleted flag, no cap, distinct records.`,
  },
];
