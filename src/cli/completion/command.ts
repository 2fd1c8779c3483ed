import type { Command } from '../command.ts';

/** Shells for which there is a script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** `assay completion SHELL`: a script that completes commands, options and their values. */
export const completionCommand: Command = {
  name: 'completion',
  usage: 'completion [shell]',
  summary: 'Prints shell completion for bash, zsh or fish',
  positionals: { shell: { type: 'string', describe: 'bash, zsh or fish; that of SHELL unless given' } },
  options: { json: { type: 'boolean', describe: 'shell and script as JSON' } },
  examples: [
    ['source <(assay completion bash)', 'for this shell; in ~/.bashrc, for every one'],
    ['assay completion zsh > "${fpath[1]}/_assay"', 'for zsh, which reads it when it starts'],
    ['assay completion fish > ~/.config/fish/completions/assay.fish', 'for fish'],
  ],
  execute: async (args, host) => (await import('./action.ts')).performCompletion(args, host),
};
