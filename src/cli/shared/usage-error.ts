/** An error that the user can fix. Its message is one sentence; the exit status is 3. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

// Errors of modules that are loaded on demand are recognised by name, so that this file does not load them.
const FOR_USERS = new Set([
  'UsageError',
  'TargetError',
  'UnknownIdError',
  'RunFolderError',
  'FormatError',
  'EvidenceError',
  'SealError',
  'MergeError',
  'OwnChecksError',
]);

// A full disk, missing permissions or an impossible path is not a bug either.
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

/** True for an error that the user can fix; false for a bug in Assay. */
export function isForUser(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return FOR_USERS.has(error.name) || ('code' in error && SYSTEM_CODES.has(String(error.code)));
}
