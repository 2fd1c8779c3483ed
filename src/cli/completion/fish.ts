import type { Completion, KnownCommand, KnownOption } from './vocabulary.ts';

/** A script for fish. */
export function fishScript(known: readonly KnownCommand[]): string {
  const bare = 'not __fish_seen_subcommand_from $__assay_commands';
  return `# Completion of assay for fish: assay completion fish > ~/.config/fish/completions/assay.fish
set -g __assay_commands ${known.map(({ name }) => name).join(' ')}
complete -c assay -f
complete -c assay -n ${quoted(bare)} -l version -d 'show the version'
${known
  .flatMap((command) => [
    `complete -c assay -n ${quoted(bare)} -a ${command.name} -d ${quoted(command.summary)}`,
    ...command.options.map((option) => optionLine(command.name, option)),
    ...argumentLines(command),
  ])
  .join('\n')}
`;
}

function optionLine(command: string, { name, summary, values }: KnownOption): string {
  const rest = values === null ? '' : ` -x${given(values)}`;
  return `complete -c assay -n ${quoted(`__fish_seen_subcommand_from ${command}`)} -l ${name.slice(2)} -d ${quoted(summary)}${rest}`;
}

function argumentLines({ name, arguments: positional }: KnownCommand): readonly string[] {
  if (positional.length === 0) return [];
  const rest = positional === 'file' ? ' -F' : given(positional);
  return [`complete -c assay -n ${quoted(`__fish_seen_subcommand_from ${name}`)}${rest}`];
}

function given(values: Completion): string {
  if (values.length === 0) return '';
  if (values === 'file') return ` -a '(__fish_complete_path)'`;
  if (values === 'folder') return ` -a '(__fish_complete_directories)'`;
  return ` -a ${quoted(values.join(' '))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", `\\'`)}'`;
}
