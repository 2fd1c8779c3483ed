import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import { type CheckContext, shareOf } from '../context.ts';
import { claimedLength } from './list-facts.ts';

/** A page size outside 1 to 500, and how it is requested. */
export interface OversizeCase {
  readonly pageSize: string;
  /** $count; null for none. */
  readonly count: boolean | null;
  /** Whether the names are spelled with %24. */
  readonly encoded: boolean;
  /** $skip; 0 for none. */
  readonly skip: number;
}

/** Ways to write 1,000, or a large number, that some parsers read and a check of the maximum may not: `full` draws one. */
const SPELLINGS: readonly string[] = [
  '1000.5',
  '1e3',
  // A blank before the number, and a plus sign.
  '+1000',
  '%2B1000',
  '1_000',
  '1000.0',
  '01000',
  '4294967297',
];

/** Further values that some parsers read as a larger number, or as no limit; only `certify` has room for them. */
const FURTHER_SIZES: readonly string[] = [
  ...SPELLINGS.slice(1),
  '-500',
  '-1000',
  '0.5',
  '999',
  '1000x',
  '1000&$pagesize=1',
  '1&%24pagesize=1000',
  // Names that a binder may take for $pagesize, and a check of the maximum may not.
  '1000&$PageSize=2000&$top=2000',
  '1000&pagesize=2000&limit=2000',
  '0x3e8',
  // The largest number of 32 bits.
  '2147483647',
  '9223372036854775808',
  '4294967296',
  '99999999999999999999',
  // 1000 in Arabic digits.
  '%D9%A1%D9%A0%D9%A0%D9%A0',
  '1,000',
  '500.9',
  '9'.repeat(400),
];

/** Values that few providers take for more than 500; `certify` requests each once. */
const RARE_SIZES: readonly string[] = [
  // 1000 in full-width digits.
  '%EF%BC%91%EF%BC%90%EF%BC%90%EF%BC%90',
  // The smallest number of 32 bits.
  '-2147483648',
  // 1000 in its lower 16 bits.
  '66536',
];

/** Words that are no number for any parser. Some providers give everything for each of them, others for a known one. */
const WORDS: readonly string[] = ['all', 'abc', 'max', 'null'];

/** Digits of a number that no integer type holds. */
const MANY_DIGITS = 40;

/** The query that requests it. Some sizes come before $count, others after it. */
export function oversizeQuery({ pageSize, count, encoded, skip }: OversizeCase): string {
  const dollar = encoded ? '%24' : '$';
  const size = `${dollar}pagesize=${pageSize}`;
  const counting = count === null ? [] : [`${dollar}count=${count}`];
  const first = pageSize.length % 2 === 0 ? [size, ...counting] : [...counting, size];
  return [...first, ...(skip > 0 ? [`${dollar}skip=${skip}`] : [])].join('&');
}

/** The cases that are always requested; none if the list has no more records than the maximum. */
export async function oversizeCases(context: CheckContext): Promise<readonly OversizeCase[]> {
  const known = await claimedLength(context.snapshot);
  if (known <= MAX_PAGE_SIZE) return [];
  // The seed decides how those without $count=true are requested, and which these are.
  const uncounted = (pageSize: string): false | null =>
    context.random(`no count of ${pageSize}`) % 2 === 0 ? null : false;
  const isCertify = context.options.suite === 'certify';
  const inForms = (pageSize: string): readonly OversizeCase[] => {
    const forms = [true, uncounted(pageSize)];
    const isCountedFirst = context.random(`count of ${pageSize}`) % 2 === 0;
    const inOrder = isCountedFirst ? forms : forms.toReversed();
    return inOrder.slice(0, isCertify ? 2 : 1).map((count) => ({ pageSize, count, encoded: false, skip: 0 }));
  };
  return [
    { pageSize: '501', count: true, encoded: false, skip: 0 },
    { pageSize: '501', count: uncounted('501'), encoded: false, skip: 0 },
    // One encoded name alone: together with others it might be ignored.
    { pageSize: String(Math.max(known, MAX_PAGE_SIZE + 2)), count: null, encoded: true, skip: 0 },
    { pageSize: '1000', count: true, encoded: false, skip: 1 },
    // Negative in 32 bits.
    { pageSize: '2147483648', count: uncounted('501') === null ? false : null, encoded: false, skip: 1 },
    ...(isCertify ? ['1000.5'] : shareOf(context, SPELLINGS, 1)).flatMap(inForms),
    ...inForms('0'),
    ...inForms('-1'),
    // A number without a maximum for some validators of JSON Schema.
    ...inForms('Infinity'),
    ...inForms('9'.repeat(MANY_DIGITS)),
    // Requested by observations as well.
    { pageSize: '', count: null, encoded: false, skip: 0 },
    { pageSize: '2.5', count: null, encoded: false, skip: 0 },
    { pageSize: '1&$pagesize=1000', count: null, encoded: false, skip: 0 },
    // The last page, which holds too few records to break the maximum, but may have a link.
    ...(isCertify ? [{ pageSize: '1000', count: true, encoded: false, skip: known - 1 }] : []),
    ...shareOf(context, WORDS, 1, FURTHER_SIZES).flatMap(inForms),
    ...(isCertify ? RARE_SIZES : []).flatMap((size) => inForms(size).slice(0, 1)),
  ];
}
