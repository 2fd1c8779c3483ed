import type { Command } from '../command.ts';

/** `assay verify RUN`: checks a run's manifest and signature. */
export const verifyCommand: Command = {
  name: 'verify',
  usage: 'verify <run>',
  summary: 'Checks that nothing in a run was changed, and who signed it',
  positionals: {
    run: { type: 'string', describe: 'a folder, a run id below reports/, latest, or a submission.zip' },
  },
  options: {
    key: { type: 'string', describe: 'public key (PEM) that must have signed it' },
    replay: { type: 'boolean', describe: 'judge it again from its evidence, and render its reports again' },
    json: { type: 'boolean', describe: 'what was found, as JSON' },
  },
  examples: [['assay verify latest --key acme.pub --replay', 'files, signature and verdicts']],
  execute: async (args, host) => (await import('./action.ts')).performVerify(args, host),
};
