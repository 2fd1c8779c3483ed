interface Registry<Entry> {
  readonly entries: readonly Entry[];
  readonly find: (id: string) => Entry | undefined;
}

/** Creates a registry. Throws if two entries have the same identifier. */
export function registryOf<Entry extends { readonly id: string }>(
  entries: readonly Entry[],
): Registry<Entry> {
  const byId = new Map<string, Entry>();
  for (const entry of entries) {
    if (byId.has(entry.id)) throw new Error(`two entries have the identifier ${entry.id}`);
    byId.set(entry.id, entry);
  }
  return { entries, find: (id) => byId.get(id) };
}
