import path from 'node:path';
import { matchIds } from '../../../specs/catalogue.ts';
import { CHAPTERS } from '../../core/requirement.ts';
import { shellQuoted } from '../../core/text.ts';
import { defects } from '../../mock/index.ts';
import { FORMATS } from '../../report/formats/table.ts';
import {
  type Arguments,
  type Command,
  EXIT,
  type ExitStatus,
  type Host,
  UsageError,
  type Values,
} from '../command.ts';
import { choose, printFacts, SHELLS } from '../shared/options.ts';

/** The candidates for completion: words, files, folders, or nothing. */
type Completion = readonly string[] | 'file' | 'folder';

type KnownCommand = ReturnType<typeof vocabularyOf>[number];
type KnownOption = KnownCommand['options'][number];

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

export function performCompletion(args: Arguments, host: Host, commands: readonly Command[]): ExitStatus {
  const shell = shellOf(args['shell'], host);
  const script = SCRIPTS[shell](vocabularyOf(commands));
  printFacts({ shell, script }, script, args, host);
  return EXIT.ok;
}

function shellOf(given: unknown, host: Host): (typeof SHELLS)[number] {
  if (given !== undefined) return choose('completion', String(given), SHELLS);
  const current = path.basename(host.env['SHELL'] ?? '');
  const shell = SHELLS.find((one) => one === current);
  if (shell !== undefined) return shell;
  throw new UsageError(`name a shell: ${SHELLS.join(', ')}`);
}

/** A script for bash 3.2 or newer, without dependencies. */
function bashScript(known: readonly KnownCommand[]): string {
  const names = known.map(({ name }) => name).join(' ');
  return `# Completion of assay for bash: source <(assay completion bash)
_assay() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command='' one words=''
  COMPREPLY=()
  for one in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $one in -*) ;; *) command=$one; break ;; esac
  done
  if [ -z "$command" ]; then
    COMPREPLY=($(compgen -W '${names} --help --version' -- "$word"))
    return
  fi
  case "$command $before" in
${known.flatMap(({ name, options }) => options.flatMap((option) => (option.values === null ? [] : [`    '${name} ${option.name}') ${reply(option.values)}; return ;;`]))).join('\n')}
  esac
  case $command in
${known.map(({ name, options }) => `    ${name}) words='${options.map((option) => option.name).join(' ')}' ;;`).join('\n')}
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")); return ;;
  esac
  case $command in
${known.map((one) => `    ${one.name}) ${reply(one.arguments)} ;;`).join('\n')}
  esac
}
# Globs such as link/* are words here, not files.
_assay_without_globbing() {
  local globbing=$-
  set -f
  _assay
  case $globbing in *f*) ;; *) set +f ;; esac
}
complete -o filenames -F _assay_without_globbing assay
`;
}

function reply(values: Completion): string {
  if (values === 'file') return 'COMPREPLY=($(compgen -f -- "$word"))';
  if (values === 'folder') return 'COMPREPLY=($(compgen -d -- "$word"))';
  if (values.length === 0) return 'COMPREPLY=()';
  return `COMPREPLY=($(compgen -W '${values.join(' ')}' -- "$word"))`;
}

function fishScript(known: readonly KnownCommand[]): string {
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

/** A script for zsh: source it, or put it into fpath as _assay. */
function zshScript(known: readonly KnownCommand[]): string {
  return `#compdef assay
# Completion of assay for zsh: assay completion zsh > "\${fpath[1]}/_assay"
_assay() {
  local -a commands
  commands=(
${known.map(({ name, summary }) => `    ${shellQuoted(`${name}:${summary.replaceAll(':', '\\:')}`)}`).join('\n')}
  )
  local curcontext=$curcontext state line
  _arguments -C '1: :->command' '*:: :->rest' '(- *)--help[show help]' '(- *)--version[show the version]'
  case $state in
    command) _describe -t commands command commands ;;
    rest)
      case $line[1] in
${known.map(section).join('\n')}
      esac ;;
  esac
}
if [ "\${funcstack[1]}" = _assay ]; then _assay "$@"; else compdef _assay assay; fi
`;
}

function section({ name, options, arguments: positional }: KnownCommand): string {
  const specs = [...options.map(optionSpec), shellQuoted(`*: :${zshAction(positional)}`)];
  return `        ${name}) _arguments ${specs.join(' ')} ;;`;
}

function optionSpec({ name, summary, values }: KnownOption): string {
  const shown = summary.replaceAll(/[[\]:\\]/gu, (character) => `\\${character}`);
  return shellQuoted(values === null ? `${name}[${shown}]` : `*${name}[${shown}]: :${zshAction(values)}`);
}

function zshAction(values: Completion): string {
  if (values === 'file') return '_files';
  if (values === 'folder') return '_files -/';
  return values.length === 0 ? ' ' : `(${values.join(' ')})`;
}

/** Every command with its options and the values that they take. */
function vocabularyOf(commands: readonly Command[]) {
  return commands.map(({ name, summary, options, positionals }) => ({
    name,
    summary,
    options: [
      ...Object.entries(options)
        .filter(([, { hidden }]) => hidden !== true)
        .map(([option, { value, describe, values }]) => ({
          name: `--${option}`,
          summary: describe,
          // A switch takes no value.
          values: value === undefined ? null : completionOf(values),
        })),
      { name: '--help', summary: 'show the arguments and options', values: null },
    ],
    arguments: completionOf(Object.values(positionals)[0]?.values),
  }));
}

function completionOf(values: Values | undefined): Completion {
  if (values === 'requirement') return matchIds(['*']);
  if (values === 'selection') return [...CHAPTERS.map((chapter) => `${chapter}/*`), ...matchIds(['*'])];
  if (values === 'defect') return defects.map(({ id }) => id);
  return values === 'format' ? FORMATS : (values ?? []);
}
