/** Something that the user can put right; its message is one sentence for them, and the exit status is 3. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

// Errors of rooms that a command loads only when it needs them are told by name, so that reporting one does
// not load its room.
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

// What the machine has run out of, or does not allow, is no bug either; nor is a path that cannot be one.
const OF_THE_MACHINE = new Set([
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

/** True for an error that the user can put right; false for a bug in Assay. */
export function isForUser(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return FOR_USERS.has(error.name) || ('code' in error && OF_THE_MACHINE.has(String(error.code)));
}
