import { MAX_PAGE_SIZE } from '../conforming/list.ts';
import { type Defect, type DefectDraft, type Difficulty, defectsOf } from '../defect.ts';
import type { Page } from '../pipeline.ts';
import { changePageSize, requestedSize } from '../step-changes.ts';

function defaultDefect(
  difficulty: Difficulty,
  size: number,
  words: string,
  where: (page: Page) => boolean = () => true,
): DefectDraft {
  return {
    sentence: `Without $pagesize a page holds ${words} instead of 500.`,
    keywords: ['500'],
    must: ['page-size/default'],
    may: size > MAX_PAGE_SIZE ? ['page-size/maximum'] : [],
    difficulty,
    apply: changePageSize((page) => (requestedSize(page) === undefined && where(page) ? size : undefined)),
  };
}

const defaults = defectsOf({
  'default-100': defaultDefect('plain', 100, '100 records'),
  'default-everything': defaultDefect('plain', 1e9, 'all records'),
  'default-499': defaultDefect('hidden', 499, '499 records'),
  'default-501': defaultDefect('hidden', 501, '501 records'),
  'default-100-with-count': defaultDefect(
    'subtle',
    100,
    '100 records if $count is true',
    (page) => page.counting,
  ),
  'default-100-without-count': defaultDefect(
    'subtle',
    100,
    '100 records if $count is not set',
    (page) => !page.counting,
  ),
});

const ALL_RECORDS = Number.MAX_SAFE_INTEGER;

function maximumDefect(
  difficulty: Difficulty,
  sentence: string,
  choose: (text: string, page: Page) => number | undefined,
): DefectDraft {
  return {
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

const maxima = defectsOf({
  'maximum-none': maximumDefect(
    'plain',
    'A page holds more than 500 records if more are requested.',
    sizeAboveMaximum,
  ),
  'maximum-1000': maximumDefect('hidden', 'The largest page holds 1000 records instead of 500.', (text) => {
    const size = sizeAboveMaximum(text);
    return size === undefined ? undefined : Math.min(1000, size);
  }),
  'maximum-501': maximumDefect(
    'subtle',
    'A page holds 501 records if 501 are requested: the limit of 500 is one too high.',
    (text) => (sizeAboveMaximum(text) === 501 ? 501 : undefined),
  ),
  'maximum-forgotten-with-count': maximumDefect(
    'subtle',
    'With $count=true a page holds more than 500 records.',
    (text, page) => (page.counting ? sizeAboveMaximum(text) : undefined),
  ),
  'maximum-forgotten-without-count': maximumDefect(
    'subtle',
    'Without $count a page holds more than 500 records.',
    (text, page) => (page.counting ? undefined : sizeAboveMaximum(text)),
  ),
  'maximum-forgotten-when-encoded': maximumDefect(
    'subtle',
    'With %24pagesize a page holds more than 500 records.',
    (text, page) =>
      page.parameters.some(({ rawName }) => rawName === '%24pagesize') ? sizeAboveMaximum(text) : undefined,
  ),
  'maximum-zero-is-all': maximumDefect(
    'hidden',
    'A page size of 0 gives all records, more than 500.',
    (text) => (text === '0' ? ALL_RECORDS : undefined),
  ),
  'maximum-negative-is-all': maximumDefect(
    'hidden',
    'A negative page size gives all records, more than 500.',
    (text) => (/^-\d+$/.test(text) ? ALL_RECORDS : undefined),
  ),
  'maximum-text-is-all': maximumDefect(
    'hidden',
    'A page size that is not a number gives all records, more than 500.',
    (text) => (/^[a-z]+$/i.test(text) ? ALL_RECORDS : undefined),
  ),
  'maximum-overflow-32': maximumDefect(
    'subtle',
    'A page size beyond 32 bits overflows to a negative number and gives all records, more than 500.',
    (text) => (/^\d+$/.test(text) && Number(text) > 0x7fff_ffff ? ALL_RECORDS : undefined),
  ),
  'maximum-negative-32': maximumDefect(
    'subtle',
    'A page size whose 32 bits mean a negative number gives all records, more than 500.',
    (text) =>
      /^\d+$/.test(text) && Number(text) < 2 ** 32 && Number(text) >= 2 ** 31 ? ALL_RECORDS : undefined,
  ),
  'maximum-overflow-64': maximumDefect(
    'subtle',
    'A page size beyond 64 bits cannot be parsed and gives all records, more than 500.',
    (text) => (/^\d+$/.test(text) && BigInt(text) > 0x7fff_ffff_ffff_ffffn ? ALL_RECORDS : undefined),
  ),
  'maximum-many-digits': maximumDefect(
    'subtle',
    'A page size of more than 30 digits is no longer a number and gives all records, more than 500.',
    (text) => (/^\d{31,}$/.test(text) ? ALL_RECORDS : undefined),
  ),
  'maximum-rounded-up': {
    ...maximumDefect(
      'subtle',
      'A fraction between 500 and 501 passes as 500, and the page holds 501 records.',
      (text) => (/^500\.[5-9]\d*$/.test(text) ? 501 : undefined),
    ),
    needs: { suite: 'certify' },
  },
  'maximum-compared-as-text': maximumDefect(
    'subtle',
    'The maximum of 500 is compared as text, so 1000 counts as less.',
    (text) => (sizeAboveMaximum(text) !== undefined && text < '500' ? Number(text) : undefined),
  ),
});

/** Defects of the default and the maximum page size. */
export const pageBoundDefects: readonly Defect[] = [...defaults, ...maxima];
