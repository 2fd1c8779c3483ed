import type { Suite } from '../../../core/results.ts';
import { OPTIONAL_FORMATS } from '../../../report/formats/table.ts';
import type { Option, Positional } from '../../command.ts';

/** The suites, smallest first. */
export const SUITES: readonly Suite[] = ['smoke', 'full', 'certify'];

/** Shells with a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** Layouts in which a comparison can be printed. */
export const DIFF_LAYOUTS = ['text', 'markdown', 'json'] as const;

/** Layouts in which the requirements can be listed. */
export const LISTING_LAYOUTS = ['table', 'json', 'markdown', 'csv'] as const;

/** Kinds of access tokens that the reference provider issues. */
export const TOKEN_KINDS = ['jwt', 'opaque'] as const;

/** `--env FILE`, of commands that read target files. */
export const envOption: Option = {
  type: 'string',
  describe: 'file of environment variables for the target; default: .env beside the target file',
  values: 'file',
};

/** `[target...]`, of commands that test providers. */
export const targetFiles: Positional = {
  type: 'string',
  array: true,
  describe: 'target files (YAML or JSON); default: the target in the ASSAY_ variables',
  values: 'file',
};

/** `<run>`, of commands that read a finished run. */
export const finishedRun: Positional = {
  type: 'string',
  describe: 'a folder, a run id in reports/, or latest',
  values: 'file',
};

/** `--json`, of commands that print a report otherwise. */
export const resultsAsJson: Option = {
  type: 'boolean',
  describe: 'print results as JSON, everything else to standard error',
};

/** Options of commands that write a run and exit with its status. */
export const runOptions = {
  format: {
    type: 'string',
    array: true,
    describe: `further formats: ${OPTIONAL_FORMATS.join(', ')}`,
    values: 'format',
  },
  strict: {
    type: 'boolean',
    describe: 'exit 2 also if the list has too few records to test everything',
  },
  'allow-inconclusive': { type: 'boolean', describe: 'exit 0 even if something could not be tested' },
  sign: {
    type: 'string',
    describe: 'private key (PEM) to sign the run with; default: ASSAY_SIGNING_KEY',
    values: 'file',
  },
} as const satisfies Readonly<Record<string, Option>>;
