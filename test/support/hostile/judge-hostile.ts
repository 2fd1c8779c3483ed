import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { catalogue } from '../../../specs/catalogue.ts';
import type { Results, Suite } from '../../../src/core/results.ts';
import type { Verdict } from '../../../src/core/verdict.ts';
import { type Mock, startMock } from '../../../src/mock/index.ts';
import { render } from '../../../src/report/folder/report-writer.ts';
import { withoutEvidence } from '../../../src/report/report-data.ts';
import { renderTerminal } from '../../../src/report/terminal.ts';
import { conform } from '../../../src/run/conform.ts';
import { makeTarget } from '../../../src/target/make.ts';
import { runOptions } from '../run-options.ts';
import { startFront } from './altering-proxy.ts';
import type { Hostile } from './hostile.ts';

/** Records of the conforming provider behind each hostile server. */
const RECORDS = 60;

/** Shared by the corpus: the conforming provider, and a third party that must receive no request. */
export interface Ground {
  readonly mock: Mock;
  readonly third: { readonly origin: string; heard(): number };
  close(): Promise<void>;
}

export async function startGround(): Promise<Ground> {
  const mock = await startMock({ records: RECORDS });
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    mock,
    third: { origin, heard: () => connections },
    close: async () => {
      await mock.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The result of testing a hostile server. */
export interface Judged {
  readonly results: Results;
  /** All text that the run would print or write. */
  readonly written: string;
  /**
   * How often requests waited in vain for an answer or a connection, one after another; parallel waits count once.
   */
  readonly timeouts: number;
  /** Identifiers of the requirements with one of these verdicts. */
  with(...verdicts: readonly Verdict[]): readonly string[];
}

/** The configured secrets, unchanged and in Base64. */
export function secretsOf({ mock }: Ground): readonly string[] {
  const plain = [mock.credentials.clientSecret, mock.otherCredentials.clientSecret, mock.expiredToken];
  return plain.flatMap((secret) => [secret, Buffer.from(secret).toString('base64').replace(/=+$/, '')]);
}

/** The target file's content for a front. */
export function targetFor(hostile: Hostile, origin: string, { mock }: Ground) {
  const { tenant, credentials, otherCredentials, expiredToken } = mock;
  const waitMs = hostile.stalls ? 400 : 4000;
  return {
    name: hostile.does,
    authUrl: origin,
    baseUrl: origin,
    tenant,
    credentials,
    otherCredentials,
    expiredToken,
    limits: {
      requestsPerSecond: 10_000,
      // Enough for a conforming provider, and for a short list whose count claims more.
      maxRequests: 280,
      maxPages: 60,
      maxTotalBytes: hostile.bomb === undefined ? 268_435_456 : hostile.bomb * 1_000_000,
      connectTimeoutMs: waitMs,
      answerTimeoutMs: waitMs,
      retries: 1,
      maxRetryAfterMs: 500,
    },
  };
}

/** Tests a hostile server. */
export async function judgeHostile(hostile: Hostile, ground: Ground, suite: Suite = 'full'): Promise<Judged> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'assay-hostile-'));
  const front = await frontOf(hostile, ground);
  try {
    const evidenceFile = path.join(folder, 'evidence.ndjson.gz');
    const results = await conform(
      [makeTarget(targetFor(hostile, front.origin, ground))],
      runOptions({ suite, seed: 7, evidenceFile, environment: {} }),
    );
    const evidence = gunzipSync(readFileSync(evidenceFile)).toString('utf8');
    const terminal = renderTerminal(results, { colour: false, width: 100, folder: null, catalogue });
    const reports = await Promise.all(
      (['html', 'junit', 'markdown'] as const).map((format) =>
        render(withoutEvidence(results, catalogue), format),
      ),
    );
    return {
      results,
      written: [JSON.stringify(results), evidence, terminal, ...reports].join('\n'),
      timeouts: timeoutsIn(evidence),
      with: (...verdicts) =>
        (results.targets[0]?.requirements ?? [])
          .filter(({ verdict }) => verdicts.includes(verdict))
          .map(({ id }) => id),
    };
  } finally {
    await front.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each wait begins when the one before it is over; those that begin meanwhile are the same wait. */
function timeoutsIn(evidence: string): number {
  let timeouts = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const line of evidence.split('\n')) {
    if (!/"failure":\{"code":"(answer|connect)-timeout"/.test(line)) continue;
    const { startedAt, durationMs } = JSON.parse(line) as { startedAt: string; durationMs: number };
    const from = Date.parse(startedAt);
    if (from < until) continue;
    timeouts += 1;
    until = from + durationMs;
  }
  return timeouts;
}

export function frontOf(hostile: Hostile, { mock, third }: Ground) {
  const { how, greeting } = hostile;
  return startFront({
    behind: mock.baseUrl,
    third: third.origin,
    behaviour: how,
    ...(greeting === undefined ? {} : { greeting }),
  });
}
