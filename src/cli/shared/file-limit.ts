import { readFileSync } from 'node:fs';
import { UsageError } from './usage-error.ts';

/** Files that Assay and Node.js keep open, besides connections. */
const OWN_FILES = 128;

/**
 * Checks that this process may open enough files and connections. Beyond the limit, connections fail as if
 * the provider failed. Node.js has already raised the soft limit to the hard limit.
 *
 * @param connections maximum number of simultaneous connections; counts both ends if Assay serves the
 * provider itself
 * @throws UsageError if the limit is too low; never without /proc (all systems but Linux)
 */
export function expectOpenFiles(connections: number): void {
  const limit = openFileLimit();
  const needed = OWN_FILES + connections;
  if (limit === null || limit >= needed) return;
  throw new UsageError(
    `this process may have only ${limit} files and connections open, and ${needed} are needed; raise the limit where it is set (ulimit -Hn in a shell, LimitNOFILE of a service, --ulimit nofile of a container)`,
  );
}

function openFileLimit(): number | null {
  try {
    const limit = /^Max open files\s+(\d+)/mu.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}
