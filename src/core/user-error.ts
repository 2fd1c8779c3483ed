// A full disk, missing permissions or an invalid path is not a bug of Assay.
const SYSTEM_CODES = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
  'EIO',
  'ENOTDIR',
  'EISDIR',
  'ENAMETOOLONG',
]);

/** An error that the user can fix. Its message is one sentence; the exit status is 3. */
export class UserError extends Error {
  override readonly name: string = 'UserError';
}

/** Whether the user can fix the error; false for a bug in Assay. */
export function isForUser(error: unknown): error is Error {
  return (
    error instanceof UserError ||
    (error instanceof Error && 'code' in error && SYSTEM_CODES.has(String(error.code)))
  );
}
