import { MORE_THAN_500_RECORDS } from '../core/cause.ts';
import type { Requirement } from '../core/requirement.ts';
import { prose } from './prose.ts';

/** The size of a page (clauses 4.2, 4.3 and 8). N: records in the list; n: the page size asked for. */
export const pageSize: readonly Requirement[] = [
  {
    id: 'page-size/default',
    clause: ['4.2', '4.3.4', '8'],
    smoke: false,
    rule: prose`When $pagesize is left out, with and without $count, a page holds 500 records, or all of them where
      the list is shorter.`,
    needs: MORE_THAN_500_RECORDS,
    tested:
      'Makes the list call without $pagesize, once with and once without $count=true, and counts the items.',
    breach: 'A page of 10, 50, 100 or 1,000 records, or the whole list at once.',
    causes: prose`No default set, so that the framework's own applies or none at all; the default applied only in one
      of two code paths (with $count and without); a database or gateway limit below 500.`,
    fix: prose`Apply 500 in one place, before the paths with and without $count part, and raise limits of
      gateway and database to at least that.`,
  },
  {
    id: 'page-size/maximum',
    clause: ['4.2', '8'],
    smoke: false,
    rule: prose`No answer holds more than 500 records, whatever $pagesize asks for: more than 500, zero, a negative
      number, something that is no number, or an absurdly large one.`,
    needs: MORE_THAN_500_RECORDS,
    tested: prose`Asks for 501, 1,000 (from a $skip on), N, 0, nothing, a negative number, a fraction, a word and numbers
      past 32 and 64 bits, for certify also for numbers drawn from the run's seed, and counts the items. Refusing such a request keeps the rule.`,
    breach: 'An answer with 501 records or more.',
    causes: prose`The maximum missing, or checked with a wrong comparison; 0 or a negative number taken to mean "no
      limit" (as LIMIT 0, -1 or a null does in several libraries); a number that overflows to a negative one; a value
      that cannot be parsed and falls to "everything" in place of the default.`,
    fix: prose`Parse $pagesize as a whole number first; refuse what is none, or below 1, or take the default
      for it; then take the smaller of it and 500, whatever else the query says.`,
  },
  {
    id: 'page-size/limit',
    clause: ['4.2', '4.3.1'],
    smoke: true,
    rule: 'For every n from 1 to 500, with and without $count, a page holds no more than n records.',
    needs: null,
    tested: prose`Asks for page sizes at the edges (1, 2, 499, 500, around N and its divisors) and for others drawn from the
      run's seed, with and without $count=true; shrinks a breach to the smallest page size that shows it. Once with
      $count=false, and on every page of the run's walks.`,
    breach: 'n + 1 records, or a page that takes no notice of $pagesize.',
    causes: prose`One row more is fetched to learn whether a next page exists, and never dropped; $pagesize is read under
      another name ($top, pageSize) or only without the $; the page size is applied before a join that multiplies
      rows; a wrong inclusive bound (BETWEEN skip AND skip + n).`,
    fix: prose`Drop the row that was fetched to look ahead, apply the limit to records and not to joined
      rows, and read the parameter as $pagesize after decoding.`,
  },
  {
    id: 'page-size/filled',
    clause: ['4.2', '4.3.2'],
    smoke: false,
    rule: prose`For every n from 1 to 500, a first page holds n records, or N where that is less, and every linked page
      but the last holds n.`,
    needs: null,
    tested: prose`Counts the items of first pages for page sizes at the edges and drawn from the run's seed, and of every
      page of the run's walks but the last, against the number that the list has.`,
    breach: 'A page is shorter than asked for, although more records exist.',
    causes: prose`Rows filtered out (by permission, by a deleted flag) or de-duplicated after the limit was applied; a
      true maximum below 500, such as 499 or 100; a size limit on the answer that cuts pages; page sizes rounded or
      replaced by a default beyond some value.`,
    fix: prose`Filter, join and remove duplicates before the limit is applied, and take every size from 1 to
      500 as it is.`,
  },
  {
    id: 'page-size/encoded-name',
    clause: ['4.2'],
    smoke: true,
    rule: prose`%24count and %24pagesize, both encoded or one of them beside a plain $, are answered like $count and
      $pagesize.`,
    needs: null,
    tested: prose`Sends the same call with the names spelled in the four ways, byte for byte, and compares the number of
      items, count, nextPageLink with what it asks for and, where the same call gives the same records twice, the records.`,
    breach: 'The encoded spelling is ignored (a full page, no count, no link) or refused.',
    causes: prose`Query names compared before they are decoded, in a gateway rule, a hand-written parser or a cache key;
      a proxy that encodes the percent sign once more (%2524); a firewall that blocks encoded dollar signs.`,
    fix: prose`Decode names before they are compared, once; let gateway and firewall pass %24.`,
  },
];
