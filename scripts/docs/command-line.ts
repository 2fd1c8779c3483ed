import { type Command, EXIT, type Option } from '../../src/cli/command.ts';
import { commands } from '../../src/cli/program.ts';
import { FORMATS, fileOf, formatEntry } from '../../src/report/formats/table.ts';
import { type Page, page, plain, table } from './markdown.ts';

/** The meaning of every exit status. */
const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'conformant; or nothing failed, and what is open needs more records than the list holds',
  failed:
    'a requirement failed that no waiver and no baseline covers; or what a command checks is not so: diff found something worse, verify a changed file, replay another verdict',
  inconclusive:
    'something could not be tested for another reason: blocked, intermittent, unavailable, a limit, an empty list; with `--strict` or `--suite certify`, also if the list has too few records',
  notCarriedOut: 'it could not be carried out: usage, target file, unreachable, no room for the report',
  interrupted: 'interrupted; results so far are kept and marked as incomplete',
};

/** The reference of every command with its options. */
export function commandPage(): Page {
  return page('commands.md', 'the commands themselves', [
    '# Commands',
    '`assay COMMAND --help` shows the same on a terminal.',
    ...commands.flatMap(section),
    '## Formats',
    'On request (`--format`, or later `assay report RUN --format NAME`):',
    table(
      ['format', 'file', 'for'],
      FORMATS.map((format) => [`\`${format}\``, `\`${fileOf(format)}\``, formatEntry(format).help]),
    ),
    '## Exit statuses',
    table(
      ['status', 'meaning'],
      Object.entries(EXIT).map(([name, status]) => [String(status), MEANINGS[name as keyof typeof EXIT]]),
    ),
  ]);
}

function section({ name, usage, summary, positionals, options, examples }: Command): readonly string[] {
  const rows = [
    ...Object.entries(positionals).map(([word, option]) => [`\`${word}\``, plain(option.describe)]),
    ...Object.entries(options)
      .filter(([, { hidden }]) => hidden !== true)
      .map(([word, option]) => [optionWord(word, option), plain(option.describe)]),
  ];
  return [
    `## ${name}`,
    `\`assay ${usage}\`: ${plain(summary)}.`,
    ...(rows.length === 0 ? [] : [table(['argument', 'meaning'], rows)]),
    ...(examples.length === 0
      ? []
      : [examples.map(([line, words]) => `- \`${line}\`: ${plain(words)}`).join('\n')]),
  ];
}

function optionWord(word: string, { value, array }: Option): string {
  return `\`--${word}${value === undefined ? '' : ` ${value}`}\`${array === true ? ', repeatable' : ''}`;
}
