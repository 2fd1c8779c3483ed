import { isDeepStrictEqual } from 'node:util';
import type {
  ProvenDefect,
  ProvenGroup,
  ProvenVariant,
  ProveResults,
  ReportedVerdict,
  SweepRow,
} from '../core/prove-results.ts';
import { CHAPTERS } from '../core/requirement.ts';
import type { Verdict } from '../core/verdict.ts';
import type { Defect, Variant } from '../mock/index.ts';
import type { TrialResult, TrialVerdict } from './trial.ts';

/** The row of the matrix for a defect. A failure whose message does not name the defect leaves it escaped. */
export function rowOfDefect(defect: Defect, result: TrialResult): ProvenDefect {
  const { id, sentence, difficulty, must, may, needs, keywords } = defect;
  const failed = verdictsWith(result, 'fail');
  const errors = errorsOf(result);
  const named = failed.filter(
    ({ requirement, sentence: found }) =>
      must.includes(requirement) && keywords.every((word) => found.toLowerCase().includes(word)),
  );
  const escaped = must
    .filter((requirement) => !named.some((one) => one.requirement === requirement))
    .flatMap((requirement) => verdictsOf(requirement, result));
  const falselyFailed = failed.filter(({ requirement }) => ![...must, ...may].includes(requirement));
  return {
    id,
    sentence,
    ...(defect.needs.order === true ? { stateful: true as const } : {}),
    difficulty,
    ...(needs.suite === undefined ? {} : { suite: needs.suite }),
    must,
    may,
    fate: fateOf({ escaped, falselyFailed, errors }),
    killedBy: named,
    alsoFailed: failed.filter(({ requirement }) => may.includes(requirement) && !must.includes(requirement)),
    escaped,
    falselyFailed,
    errors,
    requests: result.requests,
    durationMs: result.durationMs,
  };
}

/** The fate of a defect; an escape is worse than a false failure, and both are worse than an error. */
export function fateOf(parts: {
  readonly escaped: readonly ReportedVerdict[];
  readonly falselyFailed: readonly ReportedVerdict[];
  readonly errors: readonly ReportedVerdict[];
}): ProvenDefect['fate'] {
  if (parts.escaped.length > 0) return 'escaped';
  if (parts.falselyFailed.length > 0) return 'false';
  return parts.errors.length > 0 ? 'error' : 'killed';
}

function fateOfVariant({ failed, errors }: Pick<ProvenVariant, 'failed' | 'errors'>): ProvenVariant['fate'] {
  if (failed.length > 0) return 'accused';
  return errors.length > 0 ? 'error' : 'cleared';
}

export function rowOfVariant(variant: Variant, results: readonly TrialResult[]): ProvenVariant {
  const failed = results.flatMap((result) => verdictsWith(result, 'fail'));
  const errors = results.flatMap(errorsOf);
  return {
    id: variant.id,
    sentence: variant.sentence,
    living: variant.living === true,
    fate: fateOfVariant({ failed, errors }),
    failed,
    errors,
    inconclusive: results
      .flatMap((result) => verdictsWith(result, 'inconclusive'))
      .map(({ requirement }) => requirement),
    requests: results.reduce((sum, { requests }) => sum + requests, 0),
    durationMs: results.reduce((sum, { durationMs }) => sum + durationMs, 0),
  };
}

/** The verdicts of a requirement that should fail and did not; empty if it failed. */
export function survivors(requirement: string, result: TrialResult): readonly ReportedVerdict[] {
  const verdicts = verdictsOf(requirement, result);
  return verdicts.some(({ verdict }) => verdict === 'fail') ? [] : verdicts;
}

function verdictsOf(requirement: string, result: TrialResult): readonly ReportedVerdict[] {
  const verdicts = result.verdicts.filter((one) => one.requirement === requirement);
  if (verdicts.length > 0) return verdicts.map(reportedVerdict);
  return [{ requirement, resource: null, verdict: 'skipped', cause: null, sentence: 'no check for it' }];
}

export function verdictsWith(result: TrialResult, verdict: Verdict): readonly ReportedVerdict[] {
  return result.verdicts.filter((one) => one.verdict === verdict).map(reportedVerdict);
}

export function errorsOf(result: TrialResult): readonly ReportedVerdict[] {
  const errors = verdictsWith(result, 'error');
  if (result.broken === null) return errors;
  return [
    ...errors,
    {
      requirement: '*',
      resource: null,
      verdict: 'error',
      cause: { kind: 'harness' },
      sentence: result.broken,
    },
  ];
}

function reportedVerdict({ pageSizes, ...reported }: TrialVerdict): ReportedVerdict {
  return reported;
}

/** The chapter of defects that only sequences of requests show, whatever requirement they break. */
const STATEFUL = 'stateful';

/** Counts the results: in total, by chapter of the first requirement that a defect breaks, and by difficulty. */
export function totalsOf(
  rows: Pick<ProveResults, 'defects' | 'variants' | 'combinations'>,
): ProveResults['totals'] {
  const { defects, variants, combinations } = rows;
  const chapterOf = ({ must, stateful }: ProvenDefect): string =>
    stateful === true ? STATEFUL : (must[0]?.split('/')[0] ?? '');
  const groups = (
    names: readonly string[],
    nameOf: (defect: ProvenDefect) => string,
  ): readonly ProvenGroup[] =>
    names.map((name) =>
      groupOf(
        name,
        defects.filter((one) => nameOf(one) === name),
      ),
    );
  const fates = (fate: string): number => variants.filter((one) => one.fate === fate).length;
  return {
    defects: groupOf('all', defects),
    chapters: groups([...CHAPTERS, STATEFUL], chapterOf),
    difficulties: groups(['plain', 'hidden', 'subtle'], ({ difficulty }) => difficulty),
    combinations: groupOf('combinations', combinations),
    variants: {
      total: variants.length,
      cleared: fates('cleared'),
      accused: fates('accused'),
      errors: fates('error'),
    },
  };
}

function groupOf(name: string, rows: readonly Pick<ProvenDefect, 'fate'>[]): ProvenGroup {
  const of = (fate: string): number => rows.filter((row) => row.fate === fate).length;
  return {
    name,
    total: rows.length,
    killed: of('killed'),
    escaped: of('escaped'),
    false: of('false'),
    errors: of('error'),
  };
}

/** Whether a proof succeeded: something was tested, no defect escaped, nothing failed falsely and no variant was accused. */
export function isProven(
  complete: boolean,
  { defects, combinations, variants }: ProveResults['totals'],
  sweep: readonly SweepRow[],
): boolean {
  const tested = defects.total + combinations.total + variants.total + sweep.length;
  return (
    complete &&
    tested > 0 &&
    defects.killed === defects.total &&
    combinations.killed === combinations.total &&
    variants.cleared === variants.total &&
    sweep.every(isSound)
  );
}

/**
 * The first contradiction in a proof, as a clause: between a fate and its row, totals and rows, or `proven` and the
 * totals. Null if it is consistent.
 */
export function findContradiction(results: ProveResults): string | null {
  const { defects, combinations, variants, totals, run, sweep, proven } = results;
  const row =
    [...defects, ...combinations].find((one) => one.fate !== fateOf(one)) ??
    variants.find((one) => one.fate !== fateOfVariant(one)) ??
    defects.find((one) => !accountsForAll(one));
  if (row !== undefined) return `the fate of ${row.id} does not follow from its row`;
  if (!isDeepStrictEqual(totals, totalsOf(results))) return 'its totals do not follow from its rows';
  return proven === isProven(run.complete, totals, sweep)
    ? null
    : 'its conclusion does not follow from its totals';
}

/** Whether every requirement that a defect breaks is listed as failed or as escaped. */
function accountsForAll({ must, killedBy, escaped }: ProvenDefect): boolean {
  const accounted = new Set([...killedBy, ...escaped].map(({ requirement }) => requirement));
  return must.every((requirement) => accounted.has(requirement));
}

/** Whether nothing failed falsely and, with certify, every defect was found: other suites draw page sizes. */
function isSound({ suite, planted, found, falselyFailed }: SweepRow): boolean {
  return falselyFailed.length === 0 && (suite === 'full' || found === planted);
}
