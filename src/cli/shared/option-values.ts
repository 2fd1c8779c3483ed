import type { Suite } from '../../core/results.ts';
import type { Option } from '../command.ts';

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
