/** The shard that a command line of Playwright asks for, such as `1/4`; null for a whole run. */
export function shardArgument(words: readonly string[]): string | null {
  const place = words.findIndex((word) => word === '--shard' || word.startsWith('--shard='));
  const word = words[place] ?? '';
  const named = word === '--shard' ? words[place + 1] : word.slice('--shard='.length);
  return /^\d+\/\d+$/u.exec(named ?? '')?.[0] ?? null;
}

/**
 * Whether a command line merges the blobs of shards: reports of Playwright's own then. What Assay leaves of a run comes
 * from the shards themselves (`assay merge`), since no blob holds evidence.
 */
export function isMergeCommand(words: readonly string[]): boolean {
  return words[2] === 'merge-reports';
}
