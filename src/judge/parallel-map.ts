/**
 * Maps items in order, several at a time: one fewer than limits.concurrency, which leaves room for requests that must
 * be sent one after the other. Rejects as Promise.all does, but only when no request is in progress.
 */
export async function mapInParallel<Item, Result>(
  { concurrency }: { readonly concurrency: number },
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await map(item);
  };
  const workers = Array.from({ length: Math.max(1, concurrency - 1) }, worker);
  await Promise.allSettled(workers);
  await Promise.all(workers);
  return results;
}

/** As Promise.all, but settles when all promises are settled, so that no request is in progress after the verdict. */
export async function awaitAll<const Values extends readonly unknown[]>(
  promises: Values,
): Promise<{ -readonly [Place in keyof Values]: Awaited<Values[Place]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
