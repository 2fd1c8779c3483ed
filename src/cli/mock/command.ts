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
    scenario: { type: 'string', describe: 'file that says what goes wrong when; flags win over it' },
    log: { type: 'string', describe: 'write every request to this file, one JSON object a line' },
    tls: { type: 'boolean', describe: 'serve https with a certificate made for this start' },
    ca: {
      type: 'string',
      describe: 'where --tls writes what clients have to trust; ./assay-mock-ca.pem unless given',
    },
    tokens: { type: 'string', describe: 'jwt or opaque; jwt unless given' },
    'list-defects': { type: 'boolean', describe: 'list the breaches it can commit, and stop' },
    json: { type: 'boolean', describe: 'the target file, or the list of breaches, as JSON' },
  },
  examples: [
    ['assay mock > mock.yaml &', 'a provider to try things on, and its target file'],
    ['assay mock --defect skip-in-pages --records 25000', 'one that breaks a rule'],
    [
      'assay mock --scenario flaky.yaml --port 8080',
      'one that breaks rules, stalls and fails as the file says',
    ],
    [
      'curl http://127.0.0.1:8080/__assay/requests',
      'what it was asked; state, reset and scenario stand there, too',
    ],
  ],
  execute: async (args, host) => (await import('./action.ts')).performMock(args, host),
};
