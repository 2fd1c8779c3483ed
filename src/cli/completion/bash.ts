import type { Completion, KnownCommand } from './vocabulary.ts';

/** A script for bash 3.2 or newer, without dependencies. */
export function bashScript(known: readonly KnownCommand[]): string {
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
