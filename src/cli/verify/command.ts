import type { Command } from '../command.ts';

export const verifyCommand: Command = {
  name: 'verify',
  usage: 'verify <run>',
  summary: 'Checks that no file of a run was changed, and who signed it',
  positionals: {
    run: { describe: 'a folder, a run id in reports/, latest, or a submission.zip', values: 'file' },
  },
  options: {
    key: { value: 'FILE', describe: 'public key (PEM) that must have signed the run', values: 'file' },
    replay: { describe: 'also recompute its verdicts and render its reports again' },
    json: { describe: 'print the findings as JSON' },
  },
  examples: [['assay verify latest --key acme.pub --replay', 'files, signature and verdicts']],
  execute: async (args, host) => (await import('./action.ts')).performVerify(args, host),
};
