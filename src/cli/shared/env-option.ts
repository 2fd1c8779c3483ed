import type { Option } from '../command.ts';

/** `--env FILE`, of commands that read target files. */
export const envOption: Option = {
  type: 'string',
  describe: 'file of environment variables for the target; default: .env beside the target file',
  values: 'file',
};
