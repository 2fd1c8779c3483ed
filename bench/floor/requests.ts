import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { ServerFacts } from '../provider/server.ts';

/** One request of a run. */
export interface RecordedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | null;
  /** Whether the answer was not 2xx. */
  readonly refused: boolean;
}

interface Line {
  readonly request?: Omit<RecordedRequest, 'refused'>;
  readonly answer?: { readonly status: number } | null;
}

/**
 * Reads the requests of a run from its evidence, restores the secrets, and writes them to a file for a baseline
 * program.
 */
export function extractRequests(
  run: string,
  provider: ServerFacts,
  file: string,
): readonly RecordedRequest[] {
  const text = gunzipSync(readFileSync(path.join(run, 'evidence.ndjson.gz'))).toString('utf8');
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
  // What stands for another secret, such as an altered token, is replaced by a word that a request line may contain.
  const restoreSecrets = (value: string): string =>
    value
      .replaceAll('[token-1]', provider.token)
      .replaceAll('[client-secret]', provider.clientSecret)
      .replaceAll(/\[[^\]]+\]/gu, 'removed');
  const requests = lines.flatMap(({ request, answer }): RecordedRequest[] => {
    if (request === undefined) return [];
    const { method, target, headers, body } = request;
    const clientHeaders = new Set(['content-length', 'accept-encoding', 'connection']);
    return [
      {
        method,
        target: restoreSecrets(target),
        headers: headers
          .filter(([name]) => !clientHeaders.has(name.toLowerCase()))
          .map(([name, value]): [string, string] => [name, restoreSecrets(value)]),
        body: body === null ? null : restoreSecrets(body),
        refused: (answer?.status ?? 0) >= 300,
      },
    ];
  });
  writeFileSync(file, JSON.stringify(requests));
  return requests;
}
