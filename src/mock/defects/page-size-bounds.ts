import { MAX_PAGE_SIZE } from '../conforming/list.ts';
import type { DefectDraft, Difficulty } from '../defect.ts';
import type { Page } from '../pipeline.ts';
import { changePageSize, requestedSize } from '../step-changes.ts';

function defaultDefect(
  id: string,
  difficulty: Difficulty,
  size: number,
  words: string,
  where: (page: Page) => boolean = () => true,
): DefectDraft {
  return {
    id,
    sentence: `Without $pagesize a page holds ${words} instead of 500.`,
    keywords: ['500'],
    must: ['page-size/default'],
    may: size > MAX_PAGE_SIZE ? ['page-size/maximum'] : [],
    difficulty,
    apply: changePageSize((page) => (requestedSize(page) === undefined && where(page) ? size : undefined)),
  };
}

const defaults: readonly DefectDraft[] = [
  defaultDefect('default-100', 'plain', 100, '100 records'),
  defaultDefect('default-everything', 'plain', 1e9, 'all records'),
  defaultDefect('default-499', 'hidden', 499, '499 records'),
  defaultDefect('default-501', 'hidden', 501, '501 records'),
  defaultDefect(
    'default-100-with-count',
    'subtle',
    100,
    '100 records if $count is true',
    (page) => page.counting,
  ),
  defaultDefect(
    'default-100-without-count',
    'subtle',
    100,
    '100 records if $count is not set',
    (page) => !page.counting,
  ),
];

const ALL_RECORDS = Number.MAX_SAFE_INTEGER;

function maximumDefect(
  id: string,
  difficulty: Difficulty,
  sentence: string,
  choose: (text: string, page: Page) => number | undefined,
): DefectDraft {
  return {
    id,
    sentence,
    keywords: ['500'],
    must: ['page-size/maximum'],
    difficulty,
    apply: changePageSize((page) => {
      const text = requestedSize(page);
      return text === undefined ? undefined : choose(text, page);
    }),
  };
}

/** The requested size if it is a number above 500. */
function sizeAboveMaximum(text: string): number | undefined {
  return /^\d+$/.test(text) && Number(text) > MAX_PAGE_SIZE ? Number(text) : undefined;
}

const maxima: readonly DefectDraft[] = [
  maximumDefect(
    'maximum-none',
    'plain',
    'A page holds more than 500 records if more are requested.',
    sizeAboveMaximum,
  ),
  maximumDefect('maximum-1000', 'hidden', 'The largest page holds 1000 records instead of 500.', (text) => {
    const size = sizeAboveMaximum(text);
    return size === undefined ? undefined : Math.min(1000, size);
  }),
  maximumDefect(
    'maximum-501',
    'subtle',
    'A page holds 501 records if 501 are requested: the limit of 500 is one too high.',
    (text) => (sizeAboveMaximum(text) === 501 ? 501 : undefined),
  ),
  maximumDefect(
    'maximum-forgotten-with-count',
    'subtle',
    'With $count=true a page holds more than 500 records.',
    (text, page) => (page.counting ? sizeAboveMaximum(text) : undefined),
  ),
  maximumDefect(
    'maximum-forgotten-without-count',
    'subtle',
    'Without $count a page holds more than 500 records.',
    (text, page) => (page.counting ? undefined : sizeAboveMaximum(text)),
  ),
  maximumDefect(
    'maximum-forgotten-when-encoded',
    'subtle',
    'With %24pagesize a page holds more than 500 records.',
    (text, page) =>
      page.parameters.some(({ rawName }) => rawName === '%24pagesize') ? sizeAboveMaximum(text) : undefined,
  ),
  maximumDefect(
    'maximum-zero-is-all',
    'hidden',
    'A page size of 0 gives all records, more than 500.',
    (text) => (text === '0' ? ALL_RECORDS : undefined),
  ),
  maximumDefect(
    'maximum-negative-is-all',
    'hidden',
    'A negative page size gives all records, more than 500.',
    (text) => (/^-\d+$/.test(text) ? ALL_RECORDS : undefined),
  ),
  maximumDefect(
    'maximum-text-is-all',
    'hidden',
    'A page size that is not a number gives all records, more than 500.',
    (text) => (/^[a-z]+$/i.test(text) ? ALL_RECORDS : undefined),
  ),
  maximumDefect(
    'maximum-overflow-32',
    'subtle',
    'A page size beyond 32 bits overflows to a negative number and gives all records, more than 500.',
    (text) => (/^\d+$/.test(text) && Number(text) > 0x7fff_ffff ? ALL_RECORDS : undefined),
  ),
  maximumDefect(
    'maximum-negative-32',
    'subtle',
    'A page size whose 32 bits mean a negative number gives all records, more than 500.',
    (text) =>
      /^\d+$/.test(text) && Number(text) < 2 ** 32 && Number(text) >= 2 ** 31 ? ALL_RECORDS : undefined,
  ),
  maximumDefect(
    'maximum-overflow-64',
    'subtle',
    'A page size beyond 64 bits cannot be parsed and gives all records, more than 500.',
    (text) => (/^\d+$/.test(text) && BigInt(text) > 0x7fff_ffff_ffff_ffffn ? ALL_RECORDS : undefined),
  ),
  maximumDefect(
    'maximum-compared-as-text',
    'subtle',
    'The maximum of 500 is compared as text, so 1000 counts as less.',
    (text) => (sizeAboveMaximum(text) !== undefined && text < '500' ? Number(text) : undefined),
  ),
];

/** Defects of the default and the maximum page size. */
export const pageBoundDefects: readonly DefectDraft[] = [...defaults, ...maxima];
