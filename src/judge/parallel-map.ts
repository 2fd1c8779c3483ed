/**
 * Maps items in order, several at a time: one fewer than limits.concurrency, which leaves a slot to requests that have to be
 * sent one after the other, so that a run ends sooner. Rejects as Promise.all does, but only when nothing is in flight.
 */
export async function mapInParallel<Item, Result>(
  { concurrency }: { readonly concurrency: number },
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  const waiting = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await map(item);
  };
  const workers = Array.from({ length: Math.max(1, concurrency - 1) }, worker);
  await Promise.allSettled(workers);
  await Promise.all(workers);
  return results;
}

/** As Promise.all, but never before all are settled: nothing is still being asked when a check has its verdict. */
export async function awaitAll<const Values extends readonly unknown[]>(
  asked: Values,
): Promise<{ -readonly [Place in keyof Values]: Awaited<Values[Place]> }> {
  await Promise.allSettled(asked);
  return Promise.all(asked);
}
