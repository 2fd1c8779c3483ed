import type { Completion, KnownCommand, KnownOption } from './vocabulary.ts';

/** A script for zsh: source it, or put it into fpath as _assay. */
export function zshScript(known: readonly KnownCommand[]): string {
  return `#compdef assay
# Completion of assay for zsh: assay completion zsh > "\${fpath[1]}/_assay"
_assay() {
  local -a commands
  commands=(
${known.map(({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(':', '\\:')}`)}`).join('\n')}
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
  const specs = [...options.map(optionSpec), quoted(`*: :${action(positional)}`)];
  return `        ${name}) _arguments ${specs.join(' ')} ;;`;
}

function optionSpec({ name, summary, values }: KnownOption): string {
  const shown = summary.replaceAll(/[[\]:\\]/gu, (character) => `\\${character}`);
  return quoted(values === null ? `${name}[${shown}]` : `*${name}[${shown}]: :${action(values)}`);
}

function action(values: Completion): string {
  if (values === 'file') return '_files';
  if (values === 'folder') return '_files -/';
  return values.length === 0 ? ' ' : `(${values.join(' ')})`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
