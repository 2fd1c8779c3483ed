/** An error that the user can fix. Its message is one sentence; the exit status is 3. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

// Recognises errors of dynamically loaded modules by name, so that this file need not import them.
const FOR_USERS = new Set([
  'UsageError',
  'TargetError',
  'UnknownIdError',
  'RunFolderError',
  'FormatError',
  'EvidenceError',
  'SealError',
  'MergeError',
  'CustomChecksError',
]);

// A full disk, missing permissions or an invalid path is not a bug either.
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

/** Whether the user can fix the error; false for a bug in Assay. */
export function isForUser(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return FOR_USERS.has(error.name) || ('code' in error && SYSTEM_CODES.has(String(error.code)));
}
