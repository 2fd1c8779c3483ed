import type { Command } from '../command.ts';
import { SHELLS } from '../shared/options.ts';

/** `commands` gives all commands, including this one. */
export const completionCommandOf = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  usage: 'completion [shell]',
  summary: 'Prints shell completion for bash, zsh or fish',
  positionals: {
    shell: { describe: 'bash, zsh or fish; default: the one in $SHELL', values: SHELLS },
  },
  options: { json: { describe: 'print shell and script as JSON' } },
  examples: [
    ['source <(assay completion bash)', 'for this shell; put it into ~/.bashrc for all'],
    ['assay completion zsh > "${fpath[1]}/_assay"', 'for zsh, which reads it when it starts'],
    ['assay completion fish > ~/.config/fish/completions/assay.fish', 'for fish'],
  ],
  execute: async (args, host) => (await import('./action.ts')).performCompletion(args, host, commands()),
});
