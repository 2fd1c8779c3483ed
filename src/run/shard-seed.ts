/** The seed of all shards of a run if none is given, computed from the names of its target files (FNV-1a, 31 bits). */
export function shardSeed(files: readonly string[]): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(files.join('\n'))) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 1;
}
