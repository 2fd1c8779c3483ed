import { Undecided } from '../core/undecided.ts';
import { failureDiagnosis } from '../provider/failure-diagnosis.ts';
import { NoAnswer } from '../provider/sender.ts';
import type { Target } from '../target/target.ts';
import type { CheckContext } from './context.ts';

/** The value; null if no answer came, or if it cannot be decided. Any other error, as of a bug in Assay, is thrown. */
export async function orNull<Value>(value: Promise<Value> | null | undefined): Promise<Value | null> {
  return orElse(value, () => undefined);
}

/**
 * Like {@link orNull}, for an answer in which a breach may show. If a run limit or an interruption prevented
 * it, the check is limited by that cause.
 */
export async function evidenceOrNull<Value>(
  { limitedBy, target }: Pick<CheckContext, 'limitedBy' | 'target'>,
  value: Promise<Value> | null | undefined,
): Promise<Value | null> {
  return orElse(value, (error) => {
    const undecided = undecidedFor(error, target);
    if (undecided.cause.kind === 'limit' || undecided.cause.kind === 'interrupted') limitedBy(undecided);
  });
}

/**
 * Like {@link orNull}, for one of many answers that a check judges: it judges the others, and does not pass without this one,
 * whatever the cause is.
 */
export async function neededOrNull<Value>(
  { limitedBy, target }: Pick<CheckContext, 'limitedBy' | 'target'>,
  value: Promise<Value>,
): Promise<Value | null> {
  try {
    return await answerOrNull({ limitedBy, target }, value);
  } catch (error) {
    if (!(error instanceof Undecided)) throw error;
    limitedBy(error);
    return null;
  }
}

/** Like {@link neededOrNull}, but throws what cannot be decided for another reason than a missing answer. */
export async function answerOrNull<Value>(
  { limitedBy, target }: Pick<CheckContext, 'limitedBy' | 'target'>,
  value: Promise<Value>,
): Promise<Value | null> {
  try {
    return await value;
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    limitedBy(undecidedFor(error, target));
    return null;
  }
}

function undecidedFor({ exchange }: NoAnswer, target: Target): Undecided {
  // It is one of many calls, and others were answered: the target file is not the cause.
  const { cause, verdict, sentence } = failureDiagnosis(exchange.failure, exchange, target, true);
  return new Undecided(cause, sentence, verdict);
}

async function orElse<Value>(
  value: Promise<Value> | null | undefined,
  onNoAnswer: (error: NoAnswer) => void,
): Promise<Value | null> {
  try {
    return (await value) ?? null;
  } catch (error) {
    if (error instanceof NoAnswer) onNoAnswer(error);
    else if (!(error instanceof Undecided)) throw error;
    return null;
  }
}

/** The error that a function throws; null if it throws none. Code of users may throw null itself. */
export async function errorOf(run: () => Promise<unknown>): Promise<unknown> {
  try {
    await run();
    return null;
  } catch (error) {
    const thrown: unknown = error;
    return thrown ?? new Error(String(thrown));
  }
}

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
