import { codeOf, FILE_PROBLEMS } from './system-error.ts';

/** An error that the user can fix. Its message is one sentence; the exit status is 3. */
export class UserError extends Error {
  override readonly name: string = 'UserError';
}

/**
 * Whether the user can fix the error; false for a bug in Assay. A full disk, missing permissions or an invalid path is
 * no bug, but Assay should not look for a file that does not exist.
 */
export function isForUser(error: unknown): error is Error {
  const code = codeOf(error) ?? '';
  return (
    error instanceof UserError || code === 'EIO' || (code !== 'ENOENT' && Object.hasOwn(FILE_PROBLEMS, code))
  );
}
