import type { Command } from '../command.ts';

/** `assay mock`: serves the reference provider. */
export const mockCommand: Command = {
  name: 'mock',
  usage: 'mock',
  summary: 'Serves the reference provider until stopped; prints a target file for it',
  positionals: {},
  options: {
    records: { type: 'string', describe: 'records in the list, 0 to 10,000,000; 1,234 unless given' },
    port: { type: 'string', describe: 'port on loopback; 0, which takes any free one, unless given' },
    defect: { type: 'string', array: true, describe: 'commit this breach; may be repeated' },
    latency: { type: 'string', describe: 'milliseconds to wait before each answer' },
    'clock-rate': { type: 'string', describe: 'its clock runs so many times faster' },
    tokens: { type: 'string', describe: 'jwt or opaque; jwt unless given' },
    'list-defects': { type: 'boolean', describe: 'list the breaches it can commit, and stop' },
  },
  examples: [
    ['assay mock > mock.yaml &', 'a provider to try things on, and its target file'],
    ['assay mock --defect ID --records 25000', 'one that breaks a rule'],
  ],
  execute: async (args, host) => (await import('../perform-mock.ts')).performMock(args, host),
};
