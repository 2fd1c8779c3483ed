import type { Exchange } from '../../../src/core/exchange.ts';
import type { ReportEntry } from '../../../src/report/report-data.ts';

/** A sample exchange of evidence. */
export function entry(
  number: number,
  target: string,
  body: unknown,
  parts: Partial<Exchange> = {},
): ReportEntry {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    target: 'acme-staging',
    exchange: {
      number,
      request: {
        method: 'GET',
        origin: 'https://api.acme.example',
        target,
        headers: [['Authorization', 'Bearer [token-1]']],
        body: null,
      },
      answer: {
        status: 200,
        statusText: 'OK',
        httpVersion: '1.1',
        headers: [['Content-Type', 'application/json']],
        body: new TextEncoder().encode(text),
        bodyBytesOnWire: text.length,
      },
      failure: null,
      startedAt: Date.UTC(2026, 10, 21, 5, 13, 31) + number * 20,
      firstByteMs: 3,
      durationMs: 5 + (number % 7),
      connection: 1 + (number % 4),
      retry: 0,
      ...parts,
    },
  };
}

/** A page of printers. */
export function page(from: number, items: number, more: object = {}): object {
  return {
    items: Array.from({ length: items }, (_, index) => ({
      id: `00000000-0000-4000-8000-${String(from + index).padStart(12, '0')}`,
      displayName: `Laser ${from + index}`,
      agent: 'agent-1.example',
    })),
    ...more,
  };
}

/** Evidence with `total` exchanges: a traversal, several page sizes, and the answers that violations cite. */
export function evidence(total: number, list = '/v1/printers'): readonly ReportEntry[] {
  return Array.from({ length: total }, (_, index) => {
    const number = index + 1;
    const size = 1 + ((number * 37) % 500);
    const skip = number % 5 === 0 ? 0 : (number * size) % 1200;
    const items = Math.min(size, 1234 - skip);
    const link =
      skip + items < 1234
        ? { nextPageLink: `${list}?$count=true&$pagesize=${size}&$skip=${skip + items}` }
        : {};
    return entry(
      number,
      `${list}?$count=true&$pagesize=${size}&$skip=${skip}`,
      page(skip, items, { ...link, count: 1234 }),
    );
  });
}
