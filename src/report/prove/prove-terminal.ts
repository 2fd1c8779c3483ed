import type { ProvenGroup, ProveResults, ReportedVerdict, SweepRow } from '../../core/prove-results.ts';
import { alignedLines, plural, styled, visible } from '../wording/phrases.ts';

interface ProveTerminalOptions {
  readonly colour: boolean;
  /** Path of prove.html; null if it was not written. */
  readonly page: string | null;
  /** Whether to leave out the totals. */
  readonly quiet: boolean;
}

/** The report that ends `assay prove`: the result, one line per wrong result, then totals. Ends with a line break. */
export function renderProveTerminal(
  results: ProveResults,
  { colour, page, quiet }: ProveTerminalOptions,
): string {
  const { run, totals } = results;
  const wrong = wrongLines(results);
  const heading = results.proven ? 'PROVEN' : run.complete ? 'NOT PROVEN' : 'INTERRUPTED';
  const lines = [
    `${colour ? styled(['bold', results.proven ? 'green' : 'red'], heading) : heading}  ${proofSentence(results)}`,
    ...(wrong.length === 0 ? [] : ['', ...wrong]),
    ...(totals.defects.total === 0 || quiet
      ? []
      : ['', ...table('chapter', totals.chapters), '', ...table('difficulty', totals.difficulties)]),
    ...(results.sweep.length === 0 || quiet ? [] : ['', ...sweepLines(results.sweep)]),
    '',
    ...(page === null ? [] : [`Report: ${page}`]),
    `Seed: ${run.seed}, jobs: ${run.jobs}, took ${((Date.parse(run.finishedAt) - Date.parse(run.startedAt)) / 1000).toFixed(1)} s`,
  ];
  return `${lines.join('\n')}\n`;
}

export function proofSentence(results: ProveResults): string {
  const { totals, sweep } = results;
  const { defects, variants, combinations } = totals;
  const parts: string[] = [];
  if (defects.total > 0)
    parts.push(
      `${defects.killed} of ${plural(defects.total, 'defect')} found by the requirement that they break${alsoFoundWords(results)}`,
    );
  if (variants.total > 0)
    parts.push(`${variants.cleared} of ${plural(variants.total, 'conforming variant')} cleared`);
  if (combinations.total > 0)
    parts.push(`every cause found in ${combinations.killed} of ${plural(combinations.total, 'combination')}`);
  if (sweep.length > 0) {
    const certify = sweep.filter((row) => row.suite === 'certify');
    const planted = sum(certify, (row) => row.planted);
    const found = sum(certify, (row) => row.found);
    parts.push(`certify finds ${found} of ${plural(planted, 'defect')} of one page size`);
  }
  return parts.length === 0 ? 'Nothing was tested.' : `${parts.join(', ')}.`;
}

/** The number of defects that were found, but that failed a requirement which they do not break; empty if there is none. */
function alsoFoundWords({ defects }: ProveResults): string {
  const found = defects.filter(
    ({ fate, escaped, falselyFailed }) =>
      fate !== 'killed' && escaped.length === 0 && falselyFailed.length > 0,
  ).length;
  return found === 0 ? '' : ` (${found} more found, but another requirement failed as well)`;
}

export function wrongLines(results: ProveResults): readonly string[] {
  const lines: string[] = [];
  for (const { id, escaped, falselyFailed, errors } of [...results.defects, ...results.combinations]) {
    for (const one of escaped) lines.push(`escaped  ${id}: ${verdictText(one)}`);
    for (const one of falselyFailed) lines.push(`false    ${id}: ${verdictText(one)}`);
    for (const one of errors) lines.push(`error    ${id}: ${verdictText(one)}`);
  }
  for (const { kind, suite, runs, missed, falselyFailed } of results.sweep) {
    const where = `sweep of ${kind} with ${settingWords({ suite, runs })}`;
    // Other suites draw page sizes and cannot find all.
    if (suite === 'certify' && missed.length > 0) lines.push(`escaped  ${where}: at ${missed.join(', ')}`);
    if (falselyFailed.length > 0) lines.push(`false    ${where}: at ${falselyFailed.join(', ')}`);
  }
  for (const { id, failed, errors } of results.variants) {
    for (const one of failed) lines.push(`accused  ${id}: ${verdictText(one)}`);
    for (const one of errors) lines.push(`error    ${id}: ${verdictText(one)}`);
  }
  return lines.map(visible);
}

function verdictText({ requirement, verdict, sentence }: ReportedVerdict): string {
  return requirement === '*' ? sentence : `${requirement} ${verdict}, ${sentence}`;
}

/** The numbers of a group: the title, the member, and the class of a number above 0 if that is wrong. */
export const GROUP_COUNTS = [
  ['defects', 'total', null],
  ['killed', 'killed', null],
  ['escaped', 'escaped', 'fail'],
  ['false', 'false', 'fail'],
  ['errors', 'errors', 'error'],
] as const;

function table(title: string, groups: readonly ProvenGroup[]): readonly string[] {
  return alignedLines([
    [title, ...GROUP_COUNTS.map(([name]) => name)],
    ...groups.map((group) => [group.name, ...GROUP_COUNTS.map(([, member]) => group[member])]),
  ]);
}

/** The results of a sweep as a table: one line per suite and number of runs. */
function sweepLines(sweep: readonly SweepRow[]): readonly string[] {
  const kinds = [...new Set(sweep.map(({ kind }) => kind))];
  const settings = [...new Set(sweep.map(settingWords))];
  return alignedLines([
    ['suite', ...kinds, 'false', 'requests'],
    ...settings.map((words) => {
      const rows = sweep.filter((row) => settingWords(row) === words);
      return [
        words,
        ...rows.map((row) => `${row.found} of ${row.planted}`),
        sum(rows, (row) => row.falselyFailed.length),
        Math.max(...rows.map(({ requests }) => requests)),
      ];
    }),
  ]);
}

function settingWords({ suite, runs }: Pick<SweepRow, 'suite' | 'runs'>): string {
  return runs === null ? suite : `${suite} --runs ${runs}`;
}

function sum(rows: readonly SweepRow[], pick: (row: SweepRow) => number): number {
  return rows.reduce((total, row) => total + pick(row), 0);
}

/**
 * The matrix that `assay prove` prints: one line per defect (its result, the requirements that found it, further
 * failures), then one per variant and one per combination. Ends with a line break; empty if nothing was tested.
 */
export function renderProveMatrix({ defects, variants, combinations }: ProveResults): string {
  const lines = [
    ...alignedLines(
      defects.map(({ id, fate, killedBy, alsoFailed }) => [
        fate,
        visible(id),
        [
          requirementsOf(killedBy),
          ...(alsoFailed.length === 0 ? [] : [`also ${requirementsOf(alsoFailed)}`]),
        ].join('; '),
      ]),
    ),
    ...alignedLines(variants.map(({ id, fate, failed }) => [fate, visible(id), requirementsOf(failed)])),
    ...combinations.map(({ id, fate, killedBy, masked }) => {
      const hidden = masked.map(
        ({ defect, requirement, why }) => `${requirement} of ${defect} hidden: ${why}`,
      );
      return visible([`${fate}  ${id}  ${killedBy.join(', ')}`, ...hidden].join('; '));
    }),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

export function requirementsOf(verdicts: readonly ReportedVerdict[]): string {
  return visible([...new Set(verdicts.map(({ requirement }) => requirement))].join(', '));
}
