import { createInterface } from 'node:readline';
import { visible } from '../../report/safe-text.ts';
import type { Host } from '../host.ts';
import { UsageError } from '../shared/usage-error.ts';

/** Asks the user. */
export interface Ask {
  /**
   * Asks until the answer is valid; an empty answer means `fallback`.
   *
   * @param read parses the answer; throws UsageError, whose sentence is shown before the question is repeated
   * @throws UsageError if the input ends
   */
  until<Value>(question: string, fallback: string | null, read: (answer: string) => Value): Promise<Value>;
  close(): void;
}

/** Asks on the terminal, which provides line editing; null without a terminal. */
export function asker({ in: input, err }: Host): Ask | null {
  const stream = input();
  if (!err.live || stream.isTTY !== true) return null;
  const lines = createInterface({ input: stream, terminal: false });
  const answers = lines[Symbol.asyncIterator]();
  return {
    until: async (question, fallback, read) => {
      for (;;) {
        err.write(`${question}${fallback === null || fallback === '' ? '' : ` [${fallback}]`}: `);
        const { value, done } = await answers.next();
        if (done === true) {
          err.write('\n');
          throw new UsageError('the input ended before the last answer; nothing was written');
        }
        const answer = String(value).trim();
        try {
          if (answer === '' && fallback === null) throw new UsageError('an answer is required');
          return read(answer === '' ? (fallback ?? '') : answer);
        } catch (error) {
          if (!(error instanceof UsageError)) throw error;
          err.write(`  ${visible(error.message)}\n`);
        }
      }
    },
    close: () => lines.close(),
  };
}
