import type { Command } from '../command.ts';
import { TOKEN_KINDS } from '../shared/options.ts';

export const mockCommand: Command = {
  name: 'mock',
  usage: 'mock',
  summary: 'Serves the reference provider until stopped; prints a target file for it',
  positionals: {},
  options: {
    records: { value: 'N', describe: 'records in the list, 0 to 10,000,000; default: 1,234' },
    port: { value: 'P', describe: 'port on loopback; default: 0, any free port' },
    defect: {
      value: 'ID',
      array: true,
      describe: 'break a rule: the identifier of a defect',
      values: 'defect',
    },
    latency: { value: 'MS', describe: 'milliseconds to wait before each answer' },
    'clock-rate': { value: 'R', describe: 'its clock runs this many times faster' },
    scenario: {
      value: 'FILE',
      describe: 'scenario file: which failures occur, and when; other options take precedence',
      values: 'file',
    },
    log: {
      value: 'FILE',
      describe: 'write every answered request to this file, one JSON object per line',
      values: 'file',
    },
    tls: { describe: 'serve https with a new certificate' },
    ca: {
      value: 'FILE',
      describe: 'file for the authority that clients of --tls must trust; default: ./assay-mock-ca.pem',
      values: 'file',
    },
    tokens: { value: 'KIND', describe: 'jwt or opaque; default: jwt', values: TOKEN_KINDS },
    'list-defects': { describe: 'list all defects, and exit' },
    json: { describe: 'print the target file, or the list of defects, as JSON' },
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
