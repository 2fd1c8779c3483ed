/** The verdict on one requirement for one resource. */
export type Verdict = 'pass' | 'fail' | 'inconclusive' | 'error' | 'skipped';

/** Every verdict, worst first: the order in which reports list them. */
export const VERDICTS: readonly Verdict[] = ['fail', 'error', 'inconclusive', 'pass', 'skipped'];

/** Every verdict as reports show and count it, with waived failures separately, worst first. */
export const SHOWN_VERDICTS = ['fail', 'waived', 'error', 'inconclusive', 'pass', 'skipped'] as const;

export type ShownVerdict = (typeof SHOWN_VERDICTS)[number];

/** The outcome of one target or of a whole run. */
export type Outcome = 'conformant' | 'non-conformant' | 'inconclusive' | 'error';

/** Every outcome, worst first; the outcome of a run is the worst of its targets'. */
export const OUTCOMES: readonly Outcome[] = ['non-conformant', 'error', 'inconclusive', 'conformant'];

/** The parts of a result that decide the outcome. */
interface DecidingResult {
  readonly verdict: Verdict;
  readonly waiver: { readonly active: boolean } | null;
}

/**
 * The outcome of a target from the verdicts of its requirements.
 *
 * A failure outranks everything, because it is proven; an error outranks an inconclusive verdict. A waived
 * failure does not count. A target without any verdict is inconclusive.
 */
export function outcomeOf(results: readonly DecidingResult[]): Outcome {
  if (results.some(isOpenFailure)) return 'non-conformant';
  if (results.some(({ verdict }) => verdict === 'error')) return 'error';
  if (results.some(({ verdict }) => verdict === 'inconclusive')) return 'inconclusive';
  return results.some((one) => one.verdict === 'pass' || isWaived(one)) ? 'conformant' : 'inconclusive';
}

/** Whether this is a failure that a waiver covers. */
export function isWaived<Result extends DecidingResult>(
  result: Result,
): result is Result & { readonly waiver: NonNullable<Result['waiver']> } {
  return result.verdict === 'fail' && result.waiver?.active === true;
}

/** Whether this is a failure that decides the outcome: no waiver covers it, or its waiver has expired. */
export function isOpenFailure(result: DecidingResult): boolean {
  return result.verdict === 'fail' && !isWaived(result);
}

/** Whether this is a failure that decides nothing, because the baseline of the run has all of its breaches. */
export function isKnownFailure(
  result: DecidingResult & { readonly violations: readonly { readonly known?: true }[] },
): boolean {
  return (
    isOpenFailure(result) && result.violations.length > 0 && result.violations.every(({ known }) => known)
  );
}

export function shownVerdict(result: DecidingResult): ShownVerdict {
  return isWaived(result) ? 'waived' : result.verdict;
}

/** The outcome of a run: the worst of its targets', `error` if there is none. An incomplete run is inconclusive at best. */
export function outcomeOfAll(targets: readonly { readonly outcome: Outcome }[], complete: boolean): Outcome {
  const outcomes = [...targets.map(({ outcome }) => outcome), ...(complete ? [] : ['inconclusive'])];
  return OUTCOMES.find((outcome) => outcomes.includes(outcome)) ?? 'error';
}
