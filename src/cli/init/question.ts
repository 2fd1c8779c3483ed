import { createInterface } from 'node:readline';
import { visible } from '../../report/safe-text.ts';
import type { Host } from '../host.ts';
import { UsageError } from '../shared/usage-error.ts';

/** Asks a person. */
export interface Ask {
  /**
   * Asks until the answer can be read; an empty one stands for `usual`.
   *
   * @param read throws UsageError, whose sentence is told before the question is put again
   * @throws UsageError where the input ends
   */
  until<Value>(question: string, usual: string | null, read: (answer: string) => Value): Promise<Value>;
  close(): void;
}

/** Somebody to ask; null where nobody sits at a terminal. The terminal itself edits the line. */
export function asker({ in: input, err }: Host): Ask | null {
  const stream = input();
  if (!err.live || stream.isTTY !== true) return null;
  const lines = createInterface({ input: stream, terminal: false });
  const answers = lines[Symbol.asyncIterator]();
  return {
    until: async (question, usual, read) => {
      for (;;) {
        err.write(`${question}${usual === null || usual === '' ? '' : ` [${usual}]`}: `);
        const { value, done } = await answers.next();
        if (done === true) {
          err.write('\n');
          throw new UsageError('the answers ended too early, and nothing was written');
        }
        const answer = String(value).trim();
        try {
          if (answer === '' && usual === null) throw new UsageError('this cannot be left out');
          return read(answer === '' ? (usual ?? '') : answer);
        } catch (error) {
          if (!(error instanceof UsageError)) throw error;
          err.write(`  ${visible(error.message)}\n`);
        }
      }
    },
    close: () => lines.close(),
  };
}
