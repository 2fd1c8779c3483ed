import { groupBy } from '../../core/grouping.ts';
import { markdownText, plural, visible } from '../wording/phrases.ts';
import { type Change, type ComparedVerdict, type Comparison, isBroken } from './comparison.ts';

/** Verdicts by severity, the worst first. */
const SEVERITY: readonly (ComparedVerdict | null)[] = [
  'fail',
  'error',
  'inconclusive',
  'waived',
  'skipped',
  'pass',
  null,
];

/** The parts of a comparison in the order of the report. */
const PARTS: readonly (readonly [part: 'worse' | 'new' | 'better' | 'gone' | 'otherwise', title: string])[] =
  [
    ['worse', 'Worse'],
    ['new', 'New'],
    ['better', 'Better'],
    ['gone', 'No longer judged'],
    ['otherwise', 'Still failing, differently'],
  ];

/** A comparison as plain text, for a terminal. */
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

interface Group {
  readonly names: readonly string[];
  readonly step: string;
  readonly lines: readonly string[];
}

/** Changes grouped by reason, the worst first. */
function groupsOf(changes: readonly Change[]): readonly Group[] {
  const severity = ({ after }: Change): number => SEVERITY.indexOf(after);
  const texts = changes
    .toSorted((one, other) => severity(one) - severity(other))
    .map((change) => ({ name: nameOf(change), step: stepOf(change), lines: linesOf(change) }));
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

function nameOf({ target, resource, id }: Change): string {
  return visible(`${id}${resource === null ? '' : ` (${resource})`}, ${target}`);
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
