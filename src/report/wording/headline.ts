import {
  type Conclusion,
  conclusionOf,
  isPartial,
  lackingData,
  needsRecords,
  selectionOf,
  selectionWords,
  untested,
} from '../../core/conclusion.ts';
import { groupBy } from '../../core/maps.ts';
import { withCommas } from '../../core/number-format.ts';
import { isRequirementId } from '../../core/requirement-id.ts';
import {
  type BaselineCounts,
  type RequirementResult,
  type Results,
  type Suite,
  type TargetResult,
  testsReferenceProvider,
} from '../../core/results.ts';
import { isOpenFailure, isWaived, OUTCOMES, type Outcome } from '../../core/verdict.ts';
import { type Finding, findingsOf, findingsWith, isOverview } from '../findings.ts';
import { coveredWords, enumeration, plural, visible } from './phrases.ts';

const NAMED = 3;

/** The result of a run in one or two words, for the top of a report. */
export function stampOf(results: Results): string {
  if (results.outcome === 'error')
    return findingsWith(results, 'pass').length > 0 ? 'not completed' : 'not carried out';
  if (results.outcome !== 'conformant') return results.outcome;
  if (isPartial(results)) return 'passed in part';
  return conclusionOf(results) === 'passed' ? 'conformant' : 'not certified';
}

/** The outcome that determines the colour of a stamp: only a fully conformant run is green. */
export function stampStyle(results: Results): Outcome {
  const { outcome } = results;
  return outcome === 'conformant' && conclusionOf(results) !== 'passed' ? 'inconclusive' : outcome;
}

/** The suite of a run, and whether only a part of it was selected: `full suite, 2 of N requirements selected`. */
export function suiteWords(results: Results): string {
  const selection = selectionWords(results);
  return `${results.run.suite} suite${selection === null ? '' : `, ${selection}`}`;
}

/** Shown for a run without a target, so that nobody takes its result for that of a provider. */
export const REFERENCE_NOTICE =
  'No target was given, so this run tested the embedded reference provider, not yours.';

export function headline(results: Results): string {
  const selection = selectionWords(results);
  const main = MAIN_SENTENCE[conclusionOf(results)](results);
  const sentences = [
    main,
    ...(selection === null || main.startsWith(selection) ? [] : [`${selection}.`]),
    ...(results.run.baseline === undefined ? [] : [baselineSentence(results.run.baseline)]),
    ...(results.run.allowInconclusive === true ? [ALLOWED_SENTENCE] : []),
    ...(testsReferenceProvider(results) ? [REFERENCE_NOTICE] : []),
  ];
  return sentences.join(' ');
}

const ALLOWED_SENTENCE = 'Inconclusive requirements do not fail this run, because of --allow-inconclusive.';

/** What a baseline makes of the failures, which decides the exit status. */
function baselineSentence({ accepted, new: fresh, stale, newIn, staleIn }: BaselineCounts): string {
  const named = (ids: readonly string[] = []): string =>
    ids.length === 0 || ids.length > NAMED ? '' : ` (${ids.map((id) => visible(id)).join(', ')})`;
  const parts = [
    `${plural(accepted, 'known failure')} accepted`,
    ...(fresh === 0 ? [] : [`${fresh} new${named(newIn)}`]),
    ...(stale === 0
      ? []
      : [`${stale} that ${stale === 1 ? 'does' : 'do'} not occur any more${named(staleIn)}`]),
  ];
  return `Against the baseline: ${enumeration(parts)}.`;
}

const MAIN_SENTENCE: Readonly<Record<Conclusion, (results: Results) => string>> = {
  failed: failedSentence,
  error: errorSentence,
  'needs-data': needsSentence,
  passed: passedSentence,
  inconclusive: inconclusiveSentence,
};

function needsSentence(results: Results): string {
  const lacking = lackingData(results);
  const [short, others] = [lacking.filter(needsRecords), lacking.filter((one) => !needsRecords(one))];
  const needs = new Set(
    others.flatMap(({ cause }) => (cause?.kind === 'data' ? [visible(cause.needs)] : [])),
  );
  const verb = (some: readonly RequirementResult[]): string => (some.length === 1 ? 'needs' : 'need');
  const what = enumeration([...needs]);
  const nothing = nothingFailed(results);
  if (others.length === 0)
    return `${nothing}; ${countOf(results, short.length)} ${verb(short)} more records.`;
  if (short.length === 0) return `${nothing}; ${countOf(results, others.length)} ${verb(others)} ${what}.`;
  return `${nothing}; ${countOf(results, lacking.length)} could not be tested: ${short.length} ${verb(short)} more records, and ${others.length} ${verb(others)} ${what}.`;
}

function passedSentence(results: Results): string {
  const waived = findingsOf(results, isWaived).length;
  const exception = waived > 0 ? `, except for ${coveredWords(waived)}` : '';
  const selection = selectionWords(results);
  if (selection !== null && findingsWith(results, 'pass').length === 0)
    return `${selection}; ${coveredWords(waived)}.`;
  if (selection !== null) return `${selection}; ${passedWords(results)}${exception}.`;
  const skipped = findingsWith(results, 'skipped');
  const left = skipped.length === 0 ? '' : `; not tested: ${namesOf(skipped)}`;
  if (exception === '' && left === '') {
    const { length } = results.targets;
    const where = length === 1 ? '' : ` on each of ${length} targets`;
    return `All ${plural(selectionOf(results).all, 'requirement')} passed${where}.`;
  }
  return `Every tested requirement passed${exception}${left}.`;
}

/** The result of the selected requirements of a partial run in which nothing failed. */
function passedWords(results: Results): string {
  const open = findingsOf(
    results,
    (one) => one.cause?.kind !== 'unselected' && one.verdict !== 'pass' && !isWaived(one),
  );
  if (open.length > 0) return `not tested: ${namesOf(open)}`;
  const { selected } = selectionOf(results);
  if (selected === 0) return 'every custom check passed';
  return selected === 1 ? 'it passed' : 'all of them passed';
}

function inconclusiveSentence(results: Results): string {
  const passed = findingsWith(results, 'pass').length;
  const all = findingsOf(results, () => true);
  const waived = findingsOf(results, isWaived).length;
  if (passed === 0 && waived === 0) {
    const skipped = all.length > 0 && all.every(({ result }) => result.verdict === 'skipped');
    return `Nothing could be tested${skipped ? ': every requirement was skipped' : ''}.`;
  }
  if (results.run.suite === 'certify' && results.run.complete && untested(results).length > 0)
    return certifySentence(results);
  const open = findingsWith(results, 'inconclusive');
  const nothing = nothingFailed(results);
  if (open.length === 0) return `${nothing}, but not every requirement was tested.`;
  return `${nothing}, but ${openWords(results, open.length)}.`;
}

function nothingFailed(results: Results): string {
  const waived = findingsOf(results, isWaived).length;
  return waived === 0 ? 'Nothing failed' : `Nothing failed, except for ${coveredWords(waived)}`;
}

/** The headline of a certificate if not every requirement passed. Custom checks are not requirements. */
export function certifySentence(results: Results): string {
  const ids = results.targets.flatMap(({ requirements }) => requirements.map(({ id }) => id));
  const all = ids.filter(isRequirementId).length;
  const left = untested(results);
  const failed = left.filter(({ result }) => result.verdict === 'fail');
  const open = left.filter(({ result }) => result.verdict !== 'fail');
  const parts = [
    ...(failed.length === 0 ? [] : [`failed: ${namesOf(failed, all)}`]),
    ...(open.length === 0 ? [] : [`not tested: ${namesOf(open, all)}`]),
  ];
  const noun = results.targets.length === 1 ? 'requirement' : 'verdict';
  return `${withCommas(all - left.length)} of ${plural(all, noun)} passed; ${parts.join('; ')}.`;
}

function errorSentence(results: Results): string {
  const errors = findingsWith(results, 'error');
  const keys = new Set(
    errors.flatMap(({ result: { cause } }) => (cause?.kind === 'configuration' ? [cause.key] : [])),
  );
  const what =
    keys.size === 0 || keys.size > NAMED
      ? ''
      : ` Check ${enumeration([...keys].map((key) => visible(key)))}.`;
  const all = results.targets.length;
  const stopped = new Set(errors.map(({ target }) => target));
  const hasPassed = [...stopped].some(({ requirements }) =>
    requirements.some(({ verdict }) => verdict === 'pass'),
  );
  if (stopped.size < all)
    return `${stopped.size} of ${all} targets could not be tested${hasPassed ? ' in full' : ''}.${what}`;
  const passed = findingsWith(results, 'pass').length;
  if (passed === 0) return `The run could not be carried out, so it says nothing about conformance.${what}`;
  const open = findingsWith(results, 'inconclusive').length;
  const others = [...(open > 0 ? [`${open} inconclusive`] : []), `${passed} passed`].join(', ');
  return `${countOf(results, errors.length)} could not be tested; ${others}.${what}`;
}

// An overview shows the proof of only some targets, and names them.
function failedSentence(results: Results): string {
  const failed = findingsOf(results, isOpenFailure);
  const waived = findingsOf(results, isWaived).length;
  const open = findingsWith(results, 'inconclusive');
  const ids = new Set(failed.map(({ result }) => result.id)).size;
  const targets = new Set(failed.map(({ target }) => target)).size;
  const all = results.targets.length;
  const what =
    all === 1
      ? `${plural(ids, 'requirement')} failed`
      : `${plural(failed.length, 'failure')} of ${plural(ids, 'requirement')} on ${targets} of ${plural(all, 'target')}`;
  const covered =
    waived === 0 ? '' : ` (${plural(waived, 'more failure')} ${waived === 1 ? 'is' : 'are'} waived)`;
  const proof = isOverview(results) ? '' : '; see the evidence below';
  const errors = findingsWith(results, 'error');
  const unreached =
    all === 1
      ? countOf(results, errors.length)
      : `${new Set(errors.map(({ target }) => target)).size} of ${all} targets`;
  const also =
    errors.length === 0 ? '' : ` ${unreached} could not be ${all === 1 ? 'carried out' : 'tested'}.`;
  const first = `${what}${covered}${proof}.${also}`;
  if (open.length === 0) return first;
  const blockers = blockersOf(open);
  const cause =
    blockers === null || blockers.length > NAMED
      ? ''
      : `, blocked by ${enumeration(blockers.map((id) => visible(id)))}`;
  return `${first} ${openWords(results, open.length)}${cause}.`;
}

/** The failed requirements that block all of the findings; null if any of them is open for another reason. */
function blockersOf(open: readonly Finding[]): readonly string[] | null {
  const blockers = new Set<string>();
  for (const { target, result } of open) {
    const by = result.cause?.kind === 'blocked' ? result.cause.by : null;
    if (by === null || !target.requirements.some(({ id, verdict }) => id === by && verdict === 'fail'))
      return null;
    blockers.add(by);
  }
  return [...blockers];
}

/** `12 of N requirements`; `12 of M verdicts` if a requirement has several. */
export function countOf(results: Results, some: number): string {
  const all = results.targets.reduce((sum, { requirements }) => sum + requirements.length, 0);
  return `${withCommas(some)} of ${plural(all, hasOneVerdictEach(results) ? 'requirement' : 'verdict')}`;
}

function hasOneVerdictEach({ targets }: Results): boolean {
  const ids = targets.flatMap(({ requirements }) => requirements.map(({ id }) => id));
  return new Set(ids).size === ids.length;
}

/** `12 of N requirements could not be tested`; `12 of M verdicts are open`. */
function openWords(results: Results, some: number): string {
  const count = countOf(results, some);
  if (hasOneVerdictEach(results)) return `${count} could not be tested`;
  return `${count} ${some === 1 ? 'is' : 'are'} open`;
}

function namesOf(findings: readonly Pick<Finding, 'result'>[], most = NAMED): string {
  const names = [...new Set(findings.map(({ result }) => visible(result.id)))];
  return names.length <= most ? names.join(', ') : plural(names.length, 'requirement');
}

export interface ShownOutcome {
  /** `passed in part (18 of N)` or `not certified` instead of `conformant`, if not everything was tested. */
  readonly words: string;
  readonly style: Outcome;
}

export function shownOutcome(target: TargetResult, suite: Suite): ShownOutcome {
  const { outcome } = target;
  if (outcome !== 'conformant') return { words: outcome, style: outcome };
  const { selected, all } = selectionOf({ targets: [target] });
  if (selected < all) return { words: `passed in part (${selected} of ${all})`, style: outcome };
  const isOpen = suite === 'certify' && untested({ targets: [target] }).length > 0;
  return isOpen ? { words: 'not certified', style: 'inconclusive' } : { words: outcome, style: outcome };
}

/** An outcome as pages of several runs show it. */
export function outcomeAmongRuns(shown: ShownOutcome, { run }: Results): ShownOutcome {
  return run.complete ? shown : { ...shown, words: `${shown.words}, incomplete` };
}

/** The outcomes of these targets with their number, worst first. */
export function countOutcomes(
  targets: readonly TargetResult[],
  suite: Suite,
): readonly (ShownOutcome & { readonly count: number })[] {
  const shown = targets.map((target) => shownOutcome(target, suite));
  return [...groupBy(shown, ({ words }) => words).values()]
    .map((same) => ({ ...same[0], count: same.length }))
    .toSorted((one, other) => OUTCOMES.indexOf(one.style) - OUTCOMES.indexOf(other.style));
}

/** The outcomes of these targets with their number, worst first: `3 non-conformant, 29 conformant`. */
export function outcomeCounts(targets: readonly TargetResult[], suite: Suite): string {
  return countOutcomes(targets, suite)
    .map(({ words, count }) => `${withCommas(count)} ${words}`)
    .join(', ');
}
