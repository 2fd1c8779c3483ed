import { selectionWords } from '../core/conclusion.ts';
import { isLoopback } from '../core/exchange.ts';
import { groupBy } from '../core/maps.ts';
import { nameWithList, type Results, type TargetResult } from '../core/results.ts';
import { type ShownVerdict, shownVerdict } from '../core/verdict.ts';
import { type Finding, kindOfBreach } from './findings.ts';
import { stampOf } from './wording/headline.ts';
import { markdownText, plural, visible } from './wording/phrases.ts';

/** A requirement of a target and resource in both runs; null if a run has no verdict on it. */
interface Change {
  readonly target: string;
  readonly resource: string | null;
  readonly id: string;
  readonly before: ShownVerdict | null;
  readonly after: ShownVerdict | null;
  /** The reason in the later run, or in the earlier one if it is gone. */
  readonly reason: string | null;
  readonly newMessages: readonly string[];
  readonly goneMessages: readonly string[];
}

interface ComparedRun {
  readonly id: string;
  readonly outcome: Results['outcome'];
  /** The outcome for readers: `passed in part, 2 of N requirements selected` instead of `conformant`. */
  readonly shownOutcome: string;
}

interface Comparison {
  /** Other differences between the runs, one sentence each: a change may not be due to the provider. */
  readonly notes: readonly string[];
  readonly before: ComparedRun;
  readonly after: ComparedRun;
  readonly worse: readonly Change[];
  readonly better: readonly Change[];
  readonly new: readonly Change[];
  readonly gone: readonly Change[];
  /** Requirements that fail in both runs but with different violations, or are waived in one. */
  readonly otherwise: readonly Change[];
  /** True if something got worse, or something fails that is absent from the earlier run. */
  readonly gotWorse: boolean;
}

// A skipped requirement was not judged, so it is neither better nor worse.
const RANK: Readonly<Record<Exclude<ShownVerdict, 'skipped'>, number>> = {
  pass: 0,
  inconclusive: 1,
  error: 2,
  fail: 3,
  // A waived failure is still a failure.
  waived: 3,
};

/** Compares two runs by target, resource and requirement. If each run has one target, the names may differ. */
export function compareRuns(before: Results, after: Results): Comparison {
  const changes = changesBetween(before, after);
  const judged = (verdict: ShownVerdict | null): verdict is Exclude<ShownVerdict, 'skipped'> =>
    verdict !== null && verdict !== 'skipped';
  const step = ({ before: one, after: other }: Change): number =>
    judged(one) && judged(other) ? RANK[other] - RANK[one] : 0;
  const fresh = changes.filter((one) => !judged(one.before) && judged(one.after));
  // A failure whose waiver has expired decides the outcome again.
  const worse = changes.filter((one) => step(one) > 0 || (one.before === 'waived' && one.after === 'fail'));
  // A failure that could not be tested again may still occur.
  const isOpenNow = ({ before: one, after: other }: Change): boolean =>
    (one === 'fail' || one === 'waived') && (other === 'inconclusive' || other === 'error');
  return {
    notes: notesOn(before, after),
    before: comparedRun(before),
    after: comparedRun(after),
    worse,
    better: changes.filter((one) => step(one) < 0 && !isOpenNow(one)),
    new: fresh,
    gone: changes.filter((one) => (judged(one.before) && !judged(one.after)) || isOpenNow(one)),
    otherwise: changes.filter(
      (one) =>
        (one.before === one.after &&
          one.newMessages.length + one.goneMessages.length > 0 &&
          judged(one.after)) ||
        (one.before === 'fail' && one.after === 'waived'),
    ),
    gotWorse: worse.length > 0 || fresh.some((one) => one.before === null && isBroken(one)),
  };
}

function comparedRun(results: Results): ComparedRun {
  const selection = selectionWords(results);
  const shownOutcome = selection === null ? stampOf(results) : `${stampOf(results)}, ${selection}`;
  return { id: results.run.id, outcome: results.outcome, shownOutcome };
}

/** Whether the later run has an open failure or an error. */
function isBroken({ after }: Change): boolean {
  return after === 'fail' || after === 'error';
}

function changesBetween(before: Results, after: Results): readonly Change[] {
  const single = before.targets.length === 1 && after.targets.length === 1;
  const earlier = entriesOf(before, single);
  const later = entriesOf(after, single);
  return [...new Set([...later.keys(), ...earlier.keys()])].map((key): Change => {
    const one = earlier.get(key);
    const other = later.get(key);
    const known = other ?? one;
    if (known === undefined) throw new Error('a key comes from one of the two');
    const messages = (entry: Entry | undefined) =>
      entry?.result.violations.map(({ message }) => message) ?? [];
    return {
      target: known.target.name,
      resource: known.result.resource,
      id: known.result.id,
      before: one === undefined ? null : shownVerdict(one.result),
      after: other === undefined ? null : shownVerdict(other.result),
      reason: known.result.reason,
      newMessages: withoutKnown(messages(other), messages(one)),
      // A violation that was not tested again may still occur.
      goneMessages: isDecided(other) ? withoutKnown(messages(one), messages(other)) : [],
    };
  });
}

type Entry = Omit<Finding, 'label'>;

/** Whether a run tells if a breach occurs; it does not if the requirement is absent from it. */
function isDecided(entry: Entry | undefined): boolean {
  return entry?.result.verdict === 'pass' || entry?.result.verdict === 'fail';
}

function entriesOf({ targets }: Results, single: boolean): ReadonlyMap<string, Entry> {
  const entries = targets.flatMap((target) => target.requirements.map((result) => ({ target, result })));
  const keyOf = ({ target, result }: Entry): string =>
    JSON.stringify([single ? '' : target.name, result.resource, result.id]);
  return new Map(entries.map((entry) => [keyOf(entry), entry]));
}

function withoutKnown(messages: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others.map(kindOfBreach));
  return messages.filter((message) => !known.has(kindOfBreach(message)));
}

/** Differences between two runs in suite, seed and targets, one sentence each. */
function notesOn(before: Results, after: Results): readonly string[] {
  return [
    ...differenceIn('suite', before.run.suite, after.run.suite),
    ...differenceIn('seed', String(before.run.seed), String(after.run.seed)),
    ...pairsOf(before, after).flatMap(noteOn),
  ];
}

type Pair = readonly [before: TargetResult | null, after: TargetResult | null];

function pairsOf(before: Results, after: Results): readonly Pair[] {
  const [one, ...others] = before.targets;
  const [later, ...further] = after.targets;
  // Two runs with one target each are compared even if the names differ.
  if (one !== undefined && later !== undefined && others.length + further.length === 0) return [[one, later]];
  const named = (targets: readonly TargetResult[], name: string): TargetResult | null =>
    targets.find((target) => target.name === name) ?? null;
  const names = new Set([...before.targets, ...after.targets].map(({ name }) => name));
  return [...names].map((name) => [named(before.targets, name), named(after.targets, name)]);
}

function noteOn([before, after]: Pair): readonly string[] {
  if (before === null) return after === null ? [] : [`${after.name} is judged in the later run only`];
  if (after === null) return [`${before.name} is judged in the earlier run only`];
  if (locationOf(before) === locationOf(after)) return [];
  return differenceIn('target', describe(before), describe(after));
}

function differenceIn(what: string, before: string, after: string): readonly string[] {
  return before === after ? [] : [`different ${what}: ${before} before, ${after} now`];
}

function describe({ name, authUrl, baseUrl }: TargetResult): string {
  return `${name} (${[...new Set([baseUrl, authUrl])].join(', ')})`;
}

// A mock uses a different port at each start.
function locationOf({ name, authUrl, baseUrl }: TargetResult): string {
  const urls = [authUrl, baseUrl].map((text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    return url !== null && isLoopback(url) ? url.protocol + url.hostname + url.pathname : text;
  });
  return JSON.stringify([name, ...urls]);
}

const SEVERITY: readonly (ShownVerdict | null)[] = [
  'fail',
  'error',
  'inconclusive',
  'waived',
  'skipped',
  'pass',
  null,
];

const PARTS = [
  ['worse', 'Worse'],
  ['new', 'New'],
  ['better', 'Better'],
  ['gone', 'No longer judged'],
  ['otherwise', 'Still failing, differently'],
] as const;

export function renderDiffText(comparison: Comparison): string {
  const blocks = PARTS.filter(([part]) => comparison[part].length > 0).map(([part, title]) =>
    [
      `${title} (${comparison[part].length})`,
      ...groupsOf(comparison[part]).flatMap(({ names, step, lines }) => [
        `  ${names.length === 1 ? names.join('') : `${names.length} requirements`}: ${step}`,
        ...lines.map((line) => `    ${line}`),
        ...(names.length === 1 ? [] : names.map((name) => `      ${name}`)),
      ]),
    ].join('\n'),
  );
  const notes = comparison.notes.map((note) => `  ${visible(note)}`).join('\n');
  return `${[headOf(comparison), notes, ...blocks].filter((part) => part !== '').join('\n\n')}\n`;
}

/** A comparison as Markdown, for a pull request. */
export function renderDiffMarkdown(comparison: Comparison): string {
  const blocks = PARTS.filter(([part]) => comparison[part].length > 0).map(([part, title]) =>
    [
      `### ${title} (${comparison[part].length})`,
      '',
      ...groupsOf(comparison[part]).flatMap(({ names, step, lines }) => [
        `- ${names.length === 1 ? `**${markdownText(names.join(''))}**` : `${names.length} requirements`}: ${step}`,
        ...lines.map((line) => `  - ${markdownText(line)}`),
        ...(names.length === 1 ? [] : [`  - ${names.map(markdownText).join('; ')}`]),
      ]),
    ].join('\n'),
  );
  const notes = comparison.notes.map((note) => `- ${markdownText(note)}`).join('\n');
  const parts = ['## Assay: what changed', markdownText(headOf(comparison)), notes, ...blocks];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Changes grouped by reason, the worst first. */
function groupsOf(changes: readonly Change[]) {
  const severity = ({ after }: Change): number => SEVERITY.indexOf(after);
  const texts = changes
    .toSorted((one, other) => severity(one) - severity(other))
    .map((change) => ({
      name: visible(`${nameWithList(change)}, ${change.target}`),
      step: stepOf(change),
      lines: linesOf(change),
    }));
  const groups = groupBy(texts, ({ name, step, lines }) =>
    JSON.stringify(lines.length === 0 ? [name, step] : [step, lines]),
  );
  return [...groups.values()].map((same) => ({ ...same[0], names: same.map(({ name }) => name) }));
}

function headOf({ before, after, worse, better, ...rest }: Comparison): string {
  const changed = worse.length + better.length + rest.new.length + rest.gone.length + rest.otherwise.length;
  const broken = rest.new.filter(isBroken).length;
  const failing = broken === 0 ? '' : ` (${broken} of them failing)`;
  const runs = `From ${visible(before.id)} (${before.shownOutcome}) to ${visible(after.id)} (${after.shownOutcome})`;
  return changed === 0
    ? `${runs}: nothing changed.`
    : `${runs}: ${plural(worse.length, 'requirement')} worse, ${better.length} better, ${rest.new.length} new${failing}, ${rest.gone.length} no longer judged.`;
}

function stepOf({ before, after }: Change): string {
  return before === after ? `${after} in both` : `${before ?? 'absent'} before, ${after ?? 'absent'} now`;
}

function linesOf(change: Change): readonly string[] {
  const lines = [
    ...change.newMessages.map((message) => `now: ${visible(message)}`),
    ...change.goneMessages.map((message) => `no longer: ${visible(message)}`),
  ];
  if (lines.length > 0 || change.reason === null || change.after === null) return lines;
  return [visible(change.reason)];
}
