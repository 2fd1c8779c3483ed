import type { Exchange } from '../../../src/core/exchange.ts';
import type { ReportEntry } from '../../../src/report/report-data.ts';
import { entry } from './evidence-sample.ts';

/** An exchange with a JSON answer. */
export const answered: Exchange = {
  ...entry(1, '/v1/printers?$count=true&%24pagesize=7', '{"items":[]}').exchange,
  startedAt: Date.UTC(2026, 10, 21),
  durationMs: 5,
};

const failed: Exchange = {
  ...answered,
  number: 2,
  answer: null,
  failure: { code: 'refused', message: 'nobody listens there' },
  firstByteMs: null,
  connection: null,
};

const binary: Exchange = {
  ...answered,
  number: 3,
  request: { ...answered.request, method: 'POST', target: '/connect/token', body: 'a=b' },
  answer: { ...(answered.answer as NonNullable<Exchange['answer']>), body: Uint8Array.from([0xff, 0]) },
};

/** An exchange with a JSON answer, a failed one, and one with binary data. */
export async function* exchanges(): AsyncGenerator<ReportEntry> {
  for (const exchange of [answered, failed, binary]) {
    yield { target: 'acme', exchange, check: exchange === answered ? 'list/envelope' : null };
  }
}
