import { Undecided } from '../core/undecided.ts';
import { failureDiagnosis } from '../provider/failure-diagnosis.ts';
import { NoAnswer } from '../provider/sender.ts';
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
  return orElse(value, ({ exchange }) => {
    const { cause, verdict, sentence } = failureDiagnosis(exchange.failure, exchange, target);
    if (cause.kind === 'limit' || cause.kind === 'interrupted')
      limitedBy(new Undecided(cause, sentence, verdict));
  });
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
