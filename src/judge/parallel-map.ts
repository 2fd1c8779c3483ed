/**
 * Maps items in order, a few at a time: half of what the target file allows at once. What can be asked side by side
 * then leaves room for what has to be asked one after the other, and a run ends sooner. Rejects as Promise.all does, but only
 * when nothing is being asked any more.
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
  const workers = Array.from({ length: Math.max(1, Math.ceil(concurrency / 2)) }, worker);
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
