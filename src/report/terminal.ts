import wrapAnsi from 'wrap-ansi';
import { groupBy } from '../core/maps.ts';
import type { Catalogue } from '../core/requirement.ts';
import type { ObservationResult, Results, TargetResult, ViolationRecord } from '../core/results.ts';
import { isOpenFailure, isWaived, type Outcome } from '../core/verdict.ts';
import {
  countVerdicts,
  countWords,
  detailedTargets,
  type Finding,
  findingsOf,
  findingsWith,
  groupByCause,
  isOverview,
  MAX_FULL_TARGETS,
  targetsNeedingAttention,
} from './findings.ts';
import { countOutcomes, headline, shownOutcome, stampOf, stampStyle } from './wording/headline.ts';
import {
  clauseWords,
  comparedWords,
  curlWords,
  firstWords,
  INCOMPLETE,
  observedWords,
  plural,
  rateWords,
  recordWords,
  type Style,
  showCase,
  styled,
  trafficWords,
  visible,
} from './wording/phrases.ts';

export interface TerminalOptions {
  /** Whether to use colours. */
  readonly colour: boolean;
  /** Columns of the terminal, at least 20; lines are wrapped, except for curl commands. */
  readonly width: number;
  /** Path of report.html; null if it was not written. */
  readonly folder: string | null;
  readonly catalogue: Catalogue;
}

const VIOLATIONS_SHOWN = 3;
const IDS_SHOWN = 8;
/** Limits in an overview of many targets. */
const FAILURES_SHOWN = 24;
const REASONS_SHOWN = 24;

const OUTCOME_STYLE: Readonly<Record<Outcome, Style>> = {
  conformant: ['bold', 'green'],
  'non-conformant': ['bold', 'red'],
  inconclusive: ['bold', 'yellow'],
  error: ['bold', 'magenta'],
};

/**
 * The report printed at the end of a run: outcome and failures first, then errors and inconclusive verdicts
 * with their reasons, then counts, traffic, the path of the report and the seed. Ends with a line break.
 */
export function renderTerminal(results: Results, options: TerminalOptions): string {
  const screen = new Screen(options, isOverview(results));
  screen.line(screen.style(OUTCOME_STYLE[stampStyle(results)], stampOf(results).toUpperCase()));
  screen.wrapped(headline(results));
  if (!results.run.complete) screen.wrapped(screen.style('yellow', INCOMPLETE));
  writeFailures(screen, results);
  writeGroups(screen, 'Could not be carried out', findingsWith(results, 'error'));
  writeGroups(screen, 'Inconclusive', findingsWith(results, 'inconclusive'));
  writeWaived(screen, findingsOf(results, isWaived));
  writeGroups(screen, 'Skipped', findingsWith(results, 'skipped'));
  writeAttention(screen, results);
  writeTargets(screen, results);
  writeFoot(screen, results, options.folder);
  return screen.toString();
}

function writeFailures(screen: Screen, results: Results): void {
  const failures = findingsOf(results, isOpenFailure);
  if (failures.length === 0) return;
  screen.heading(`Failed (${failures.length})`);
  const detailed = new Set(detailedTargets(results));
  const shown = failures
    .filter(({ target }) => detailed.has(target))
    .slice(0, screen.brief ? FAILURES_SHOWN : failures.length);
  for (const { result, label } of shown) {
    screen.line(
      `${screen.style('red', '✗')} ${screen.style('bold', label)}  ${clauseWords(result.clause)}`.trimEnd(),
    );
    if (result.waiver !== null)
      screen.wrapped(`Its waiver expired after ${visible(result.waiver.until)}.`, 2);
    for (const [index, violation] of result.violations.slice(0, VIOLATIONS_SHOWN).entries())
      writeViolation(screen, violation, index === 0 ? result.rule : null);
    if (result.violations.length === 0)
      screen.wrapped(visible(result.reason ?? 'no evidence was recorded'), 2);
    const more = result.violations.length - VIOLATIONS_SHOWN;
    if (more > 0) screen.wrapped(`${plural(more, 'further violation')} in the report`, 2);
    screen.line('');
  }
  const left = failures.length - shown.length;
  if (left > 0) screen.wrapped(`${plural(left, 'further failure')} in results.json`);
  const curl = curlWords(shown.flatMap(({ result }) => result.violations.slice(0, VIOLATIONS_SHOWN)));
  if (curl === null) screen.dropBlank();
  else screen.wrapped(curl, 0, 'dim');
}

function writeViolation(screen: Screen, violation: ViolationRecord, rule: string | null): void {
  screen.wrapped(visible(violation.message), 2);
  for (const [name, words] of Object.entries(comparedWords(violation))) screen.field(name, words);
  if (rule !== null) screen.field('rule', visible(rule));
  if (violation.counterexample !== null) screen.field('smallest case', showCase(violation.counterexample));
  if (violation.exchanges.length > 0) {
    const numbers = violation.exchanges.slice(0, IDS_SHOWN).toSorted((one, other) => one - other);
    const more = violation.exchanges.length > IDS_SHOWN ? [...numbers, '…'] : numbers;
    screen.field('evidence', `${numbers.length === 1 ? 'exchange' : 'exchanges'} ${more.join(', ')}`);
  }
  // Not wrapped, so that users can copy it.
  for (const line of violation.curl.split('\n').filter((text) => text !== ''))
    screen.line(`    ${screen.style('cyan', visible(line))}`);
}

function writeGroups(screen: Screen, title: string, findings: readonly Finding[]): void {
  if (findings.length === 0) return;
  screen.heading(`${title} (${findings.length})`);
  const groups = groupByCause(findings);
  const shown = screen.brief ? groups.slice(0, REASONS_SHOWN) : groups;
  for (const group of shown) {
    screen.wrapped(visible(group.sentence), 2);
    const labels = group.findings.map(({ label }) => label);
    screen.wrapped(firstWords(labels, IDS_SHOWN), 4, 'dim');
  }
  const more = groups.length - shown.length;
  if (more > 0) screen.wrapped(`and ${plural(more, 'further reason')} in results.json`, 2);
}

function writeWaived(screen: Screen, findings: readonly Finding[]): void {
  if (findings.length === 0) return;
  screen.heading(`Waived failures (${findings.length})`);
  for (const { result, label } of findings) {
    const { waiver } = result;
    screen.line(`  ${screen.style('bold', label)}`);
    if (waiver !== null) screen.wrapped(`${visible(waiver.reason)} (until ${visible(waiver.until)})`, 4);
    const [first] = result.violations;
    if (first !== undefined) screen.wrapped(visible(first.message), 4, 'dim');
  }
}

function writeAttention(screen: Screen, results: Results): void {
  const notes = results.targets.flatMap((target) =>
    target.observations.filter((one) => one.attention).map((one) => ({ target, one })),
  );
  if (notes.length === 0) return;
  screen.heading(`Observations that need attention (${notes.length})`);
  const write = ({ id, value }: ObservationResult, before: string, after: string): void => {
    screen.wrapped(`${before}${visible(id)}: ${visible(value)}${after}`, 2);
    const of = observedWords(screen.catalogue, id);
    if (of !== '') screen.wrapped(of, 4, 'dim');
  };
  if (screen.brief) {
    const seen = countEqual(notes.map(({ one }) => one));
    for (const [one, times] of seen.slice(0, REASONS_SHOWN)) write(one, '', ` (${plural(times, 'time')})`);
    const more = seen.length - REASONS_SHOWN;
    if (more > 0) screen.wrapped(`and ${plural(more, 'further observation')} in results.json`, 2);
    return;
  }
  for (const { target, one } of notes) {
    const hasSeveralLists = Object.keys(target.records).length > 1 && one.resource !== null;
    const of = [
      ...(results.targets.length > 1 ? [target.name] : []),
      ...(hasSeveralLists ? [one.resource] : []),
    ];
    write(one, of.map((name) => `${visible(name)}: `).join(''), '');
  }
}

/** Equal observations with their number, the most frequent first. */
function countEqual(
  seen: readonly ObservationResult[],
): readonly (readonly [one: ObservationResult, times: number])[] {
  const groups = groupBy(seen, ({ id, value }) => JSON.stringify([id, value]));
  return [...groups.values()]
    .map((equal) => [equal[0], equal.length] as const)
    .toSorted(([, one], [, other]) => other - one);
}

function writeTargets(screen: Screen, results: Results): void {
  const { targets } = results;
  screen.heading(targets.length === 1 ? 'Target' : `Targets${screen.brief ? ` (${targets.length})` : ''}`);
  const shown = screen.brief ? targetsNeedingAttention(results).slice(0, MAX_FULL_TARGETS) : targets;
  for (const target of shown) {
    const { words, style } = shownOutcome(target, results.run.suite);
    const outcome = screen.style(OUTCOME_STYLE[style], words);
    screen.wrapped(
      `${screen.style('bold', visible(target.name))}  ${visible(target.baseUrl)}  ${outcome}`,
      2,
    );
    screen.wrapped(countLine(screen, target), 4);
    screen.wrapped(`${recordWords(target)}; ${trafficWords(target.traffic)}`, 4, 'dim');
    const rate = rateWords(target);
    if (rate !== null) screen.wrapped(rate, 4);
  }
  const rest = targets.filter((target) => !shown.includes(target));
  for (const { words, style, count } of countOutcomes(rest, results.run.suite))
    screen.wrapped(
      `${shown.length > 0 ? 'and ' : ''}${count} ${screen.style(OUTCOME_STYLE[style], words)}`,
      2,
    );
}

function countLine(screen: Screen, target: TargetResult): string {
  const styles = {
    fail: 'red',
    waived: 'yellow',
    error: 'magenta',
    inconclusive: 'yellow',
    pass: 'green',
    skipped: 'dim',
  } as const;
  return countWords(countVerdicts(target.requirements))
    .map(({ verdict, words }) => screen.style(styles[verdict], words))
    .join(', ');
}

function writeFoot(screen: Screen, results: Results, folder: string | null): void {
  screen.line('');
  const hint = (text: string): void => screen.wrapped(text, 0, 'dim');
  if (findingsOf(results, isOpenFailure).length > 0)
    hint('assay explain ID shows how a requirement is tested and what usually causes a failure.');
  if (screen.brief) hint('assay report RUN --target NAME shows one target in full.');
  if (folder !== null) screen.line(`Report: ${visible(folder)}`);
  screen.line(`Suite ${results.run.suite}, seed ${results.run.seed}`);
}

/** Collects lines, wrapped and coloured according to the options. */
class Screen {
  /** Whether it is an overview of many targets. */
  readonly brief: boolean;
  readonly catalogue: Catalogue;
  readonly #lines: string[] = [];
  readonly #width: number;
  readonly #colour: boolean;

  constructor(options: TerminalOptions, brief: boolean) {
    this.brief = brief;
    this.catalogue = options.catalogue;
    this.#width = Math.max(20, options.width);
    this.#colour = options.colour;
  }

  style(style: Style, text: string): string {
    return this.#colour ? styled(style, text) : text;
  }

  line(text: string): void {
    this.#lines.push(text);
  }

  dropBlank(): void {
    if (this.#lines.at(-1) === '') this.#lines.pop();
  }

  heading(text: string): void {
    this.#lines.push('', this.style(['bold', 'underline'], text));
  }

  wrapped(text: string, indent = 0, style?: Style): void {
    const width = Math.max(10, this.#width - indent);
    for (const line of linesOf(text, width))
      this.#lines.push(' '.repeat(indent) + (style === undefined ? line : this.style(style, line)));
  }

  field(name: string, text: string): void {
    const indent = 19;
    const [first = '', ...rest] = linesOf(text, Math.max(10, this.#width - indent));
    this.#lines.push(`    ${this.style('dim', name.padEnd(indent - 4))}${first}`);
    for (const line of rest) this.#lines.push(' '.repeat(indent) + line);
  }

  toString(): string {
    return `${this.#lines.join('\n').trimEnd()}\n`;
  }
}

/** Blanks in a row that are shown as they are. */
const MAX_BLANKS = 40;

/** A text in lines of a width. Many blanks in a row are counted instead: they say nothing, and take long to wrap. */
function linesOf(text: string, width: number): readonly string[] {
  const short = text.replaceAll(/ {2,}/g, (blanks) =>
    blanks.length > MAX_BLANKS ? ` [${blanks.length} blanks] ` : blanks,
  );
  return wrapAnsi(short, width, { hard: true }).split('\n');
}
