import { resolution } from '../../core/cause-sentences.ts';
import { isPartial } from '../../core/conclusion.ts';
import { groupBy } from '../../core/maps.ts';
import { CHAPTERS, type Chapter, chapterOf } from '../../core/requirement.ts';
import type { RequirementResult, Results } from '../../core/results.ts';
import { isOpenFailure, isWaived } from '../../core/verdict.ts';
import { type Finding, findingsOf, findingsWith, groupByCause } from '../findings.ts';
import { countOf } from './headline.ts';
import { enumeration, plural, sentence, visible } from './phrases.ts';

type SummaryLine = readonly [title: string, text: string];

const NAMED = 3;

/** Plain names of the chapters, for readers who do not know the requirements. */
const AREAS: Readonly<Record<Chapter, string>> = {
  token: 'obtaining tokens',
  authorization: 'access control',
  list: 'the content of lists',
  'page-size': 'page sizes',
  link: 'links to the next page',
  traversal: 'reading a whole list',
  count: 'record counts',
};

/** At most four lines for readers who do not know the requirements: what conforms, what does not, and what is next. */
export function summaryOf(results: Results): readonly SummaryLine[] {
  const areas = areasOf(results);
  const failing = areas.filter(({ failed }) => failed.length > 0);
  const open = areas.filter(({ failed, open: count }) => failed.length === 0 && count > 0);
  const lines: readonly SummaryLine[] = [
    ['Conforms', conformingText(results, areas)],
    ['Does not conform', sentences(failing.map(({ name, failed }) => `${name} (${idsText(failed)})`))],
    ['Not tested', sentences(open.map(({ name, passed }) => (passed > 0 ? `${name} (in part)` : name)))],
    ['Next', nextStep(results)],
  ];
  return lines.filter(([, text]) => text !== '');
}

interface Area {
  readonly name: string;
  readonly failed: readonly RequirementResult[];
  readonly passed: number;
  /** Requirements without a verdict, except for those that were not selected or not configured. */
  readonly open: number;
  /** Whether a requirement was not tested, for whatever reason. */
  readonly isInPart: boolean;
}

function areasOf({ targets }: Results): readonly Area[] {
  const rows = targets.flatMap(({ requirements }) => requirements);
  return [...CHAPTERS, null]
    .map((chapter): Area => {
      const own = rows.filter(({ id }) => chapterOf(id) === chapter);
      return {
        name: chapter === null ? 'custom checks' : AREAS[chapter],
        failed: own.filter(({ verdict }) => verdict === 'fail'),
        passed: own.filter(({ verdict }) => verdict === 'pass').length,
        open: own.filter(({ verdict }) => verdict === 'inconclusive' || verdict === 'error').length,
        isInPart: own.some(({ verdict }) => verdict === 'skipped'),
      };
    })
    .filter(({ failed, passed, open }) => failed.length + passed + open > 0);
}

function conformingText(results: Results, areas: readonly Area[]): string {
  // Such a run says nothing about conformance.
  if (results.outcome === 'error') return '';
  const working = areas.filter(({ failed, open }) => failed.length + open === 0);
  if (working.length > 0)
    return sentences(working.map(({ name, isInPart }) => (isInPart ? `${name} (in part)` : name)));
  const passed = areas.reduce((sum, area) => sum + area.passed, 0);
  return passed === 0 ? '' : `No area in full; ${countOf(results, passed)} passed.`;
}

function nextStep(results: Results): string {
  const failures = findingsOf(results, isOpenFailure);
  if (failures.length > 0) return fixText(results, failures);
  const open = findingsOf(results, ({ verdict }) => verdict === 'error' || verdict === 'inconclusive');
  const first = resolutionOf(open);
  if (first !== null) return first;
  if (!results.run.complete) return 'Rerun without interrupting it, or merge all of its shards.';
  if (open.length > 0) return 'See the reasons below, and rerun.';
  if (results.targets.every(({ requirements }) => requirements.length === 0)) return '';
  if (isPartial(results)) return 'Run the whole suite to test the other requirements.';
  const waived = findingsOf(results, isWaived);
  if (waived.length > 0) return `Fix ${idsText(waived.map(({ result }) => result))} before the waiver ends.`;
  const skipped = resolutionOf(findingsWith(results, 'skipped'));
  return skipped === null
    ? 'Nothing to fix. Rerun when the provider changes.'
    : `Nothing to fix, but something was skipped. ${skipped}`;
}

function fixText(results: Results, failures: readonly Finding[]): string {
  const blocked = groupBy(
    results.targets.flatMap(({ requirements }) => requirements),
    ({ cause }): string | null => (cause?.kind === 'blocked' ? cause.by : null),
  );
  const hiddenBy = (id: string): number => blocked.get(id)?.length ?? 0;
  const failed = [...new Set(failures.map(({ result }) => result.id))];
  const [first = ''] = failed.toSorted((one, other) => hiddenBy(other) - hiddenBy(one));
  const hidden = hiddenBy(first);
  if (hidden > 0)
    return `Fix ${visible(first)} first, then rerun: because of it, ${plural(hidden, 'verdict')} could not be given.`;
  return `Fix ${idsText(failures.map(({ result }) => result))}, then rerun.`;
}

/** How to resolve the cause that most findings share; null if there is none. */
function resolutionOf(findings: readonly Finding[]): string | null {
  const groups = groupByCause(findings).toSorted((one, other) => other.findings.length - one.findings.length);
  for (const { cause } of groups) {
    const text = cause === null ? null : resolution(cause);
    if (text !== null) return visible(text);
  }
  return null;
}

function idsText(results: readonly RequirementResult[]): string {
  const ids = [...new Set(results.map(({ id }) => visible(id)))];
  return ids.length <= NAMED ? enumeration(ids) : plural(ids.length, 'requirement');
}

function sentences(words: readonly string[]): string {
  return words.length === 0 ? '' : `${sentence(enumeration(words))}.`;
}
