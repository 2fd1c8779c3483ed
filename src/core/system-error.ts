/** Problems with files by the codes of system errors, as clauses. */
export const FILE_PROBLEMS: { readonly [code: string]: string } = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk is full',
  EEXIST: 'a file has this name already',
  EISDIR: 'it is a folder, not a file',
  EMFILE: 'too many open files; raise the limit (ulimit -Hn)',
  ENAMETOOLONG: 'its name is too long',
  ENFILE: 'too many open files on this machine',
  ENOENT: 'no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'part of the path is a file, not a folder',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
};

/** A system error about a file or folder as a clause; other errors keep their message. */
export function describeSystemError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return Object.hasOwn(FILE_PROBLEMS, code) ? (FILE_PROBLEMS[code] ?? '') : error.message;
}

/** Like {@link describeSystemError}, with the path if the message does not name it: `permission denied (reports/x)`. */
export function describeFileError(error: unknown): string {
  const description = describeSystemError(error);
  if (!(error instanceof Error && 'path' in error) || description === error.message) return description;
  return `${description} (${String(error.path)})`;
}

/** The message of an error, or what was thrown instead of one, as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of a system error, such as `ENOENT`; null for other errors. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}
