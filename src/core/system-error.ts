const DESCRIPTIONS: { readonly [code: string]: string } = {
  EACCES: 'it may not be opened',
  EDQUOT: 'the disk is full',
  EISDIR: 'it is a folder, not a file',
  EMFILE: 'this process may open no more files; raise the limit (ulimit -Hn)',
  ENAMETOOLONG: 'its name is too long',
  ENFILE: 'this machine can open no more files',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EPERM: 'it may not be opened',
  EROFS: 'the disk can only be read',
};

/** What the system found wrong with a file or a folder, as half a sentence; the error's own words where it has better. */
export function describeSystemError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return Object.hasOwn(DESCRIPTIONS, code) ? (DESCRIPTIONS[code] ?? '') : error.message;
}
