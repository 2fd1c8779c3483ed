import type { Command } from '../command.ts';
import { TOKEN_KINDS } from '../shared/options.ts';

/** `assay mock`: serves the reference provider. */
export const mockCommand: Command = {
  name: 'mock',
  usage: 'mock',
  summary: 'Serves the reference provider until stopped; prints a target file for it',
  positionals: {},
  options: {
    records: { describe: 'records in the list, 0 to 10,000,000; default: 1,234' },
    port: { describe: 'port on loopback; default: 0, any free port' },
    defect: { array: true, describe: 'break a rule: the identifier of a defect', values: 'defect' },
    latency: { describe: 'milliseconds to wait before each answer' },
    'clock-rate': { describe: 'its clock runs this many times faster' },
    scenario: {
      describe: 'scenario file: which failures occur, and when; other options take precedence',
      values: 'file',
    },
    log: { describe: 'write every request to this file, one JSON object per line', values: 'file' },
    tls: { type: 'boolean', describe: 'serve https with a new certificate' },
    ca: {
      describe: 'file for the authority that clients of --tls must trust; default: ./assay-mock-ca.pem',
      values: 'file',
    },
    tokens: { describe: 'jwt or opaque; default: jwt', values: TOKEN_KINDS },
    'list-defects': { type: 'boolean', describe: 'list all defects, and exit' },
    json: { type: 'boolean', describe: 'print the target file, or the list of defects, as JSON' },
  },
  examples: [
    ['assay mock > mock.yaml &', 'a provider to test against, and its target file'],
    ['assay mock --defect skip-in-pages --records 25000', 'a provider that breaks a rule'],
    ['assay mock --scenario flaky.yaml --port 8080', 'a provider that fails as the file says'],
    [
      'curl http://127.0.0.1:8080/__assay/requests',
      'the requests it received; see also /__assay/state, /reset and /scenario',
    ],
  ],
  execute: async (args, host) => (await import('./action.ts')).performMock(args, host),
};
