import { Buffer } from 'node:buffer';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../../../specs/catalogue.ts';
import type { Results } from '../../../src/core/results.ts';
import { readEvidence } from '../../../src/evidence/reader.ts';
import { bodiesShown, gatherEvidence } from '../../../src/report/evidence/exchange-views.ts';
import { writeReports } from '../../../src/report/folder/report-writer.ts';
import type { Format } from '../../../src/report/formats/table.ts';
import { conform } from '../../../src/run/conform.ts';
import { replay } from '../../../src/run/replay/replay.ts';
import { makeTarget } from '../../../src/target/make.ts';
import type { Target } from '../../../src/target/target.ts';
import { filesBelow, found } from '../../support/hostile/traces-of.ts';
import { runOptions } from '../../support/run-options.ts';
import { type TokenAnswer, tokenAnswers } from '../../support/token-answers.ts';

const ANSWERS = 240;
/** Targets per run: the maximum that report.html shows in full. */
const TARGETS = 20;

// Tokens that are invalid in a header come last: they are not used.
const answers = fc
  .sample(tokenAnswers, { numRuns: ANSWERS, seed: 20_261_122 })
  .toSorted((one, other) => Number(isOdd(one)) - Number(isOdd(other)));

function isOdd({ token }: TokenAnswer): boolean {
  return !/^[\w.~+/=-]+$/.test(token);
}

let server: Server;
let origin = '';

/** Answers every token request to `/N/connect/token` by answer N, and repeats the token of every list call. */
beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const [, number = ''] = (request.url ?? '').split('/');
      const answer = answers[Number(number)];
      if (answer !== undefined && request.url?.endsWith('/connect/token')) {
        const listed = answer.headers.map(([name, value]): [string, string] => [name, value]);
        response.writeHead(answer.status, answer.reason, listed.flat());
        response.end(answer.body);
        return;
      }
      const given = request.headers.authorization ?? '';
      const members = { displayName: given, agent: Buffer.from(given).toString('base64') };
      response.writeHead(200, { 'Content-Type': 'application/json', 'X-Echo': encodeURIComponent(given) });
      response.end(JSON.stringify({ items: [{ id: 1, ...members }], count: 1 }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function targetFor(number: number): Target {
  const credentials = { clientId: 'client', clientSecret: 'a-secret-of-ours', scope: 'printers.read' };
  return makeTarget({
    name: `answer-${number}`,
    authUrl: `${origin}/${number}`,
    baseUrl: origin,
    credentials,
    limits: { requestsPerSecond: 100_000, retries: 0 },
  });
}

/** Forbidden texts: each reveals enough of the token in some form. */
function tracesOf(token: string): readonly string[] {
  // For a JWT, the signature: its header is not secret.
  const core = token.includes('.') ? token.slice(token.lastIndexOf('.') + 1) : token;
  const half = core.slice(Math.floor(core.length / 2));
  const telling = half.length >= 10 ? half : token;
  const bytes = Buffer.from(telling);
  const base64 = Buffer.from(token).toString('base64').replace(/=+$/, '');
  return [
    telling,
    telling.toUpperCase(),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    encodeURIComponent(telling.toWellFormed()),
    JSON.stringify(telling).slice(1, -1),
    [...telling].join('\0'),
    [...telling].join('\\u0000'),
    base64.slice(-Math.floor(base64.length / 2)),
  ];
}

async function writeAll(results: Results, evidenceFile: string, folder: string): Promise<void> {
  const evidence = await gatherEvidence(
    results,
    readEvidence(evidenceFile, { needsBody: bodiesShown(results) }),
  );
  const exchanges = (): ReturnType<typeof readEvidence> => readEvidence(evidenceFile);
  const formats: readonly Format[] = ['junit', 'markdown', 'sarif', 'csv', 'har'];
  await writeReports({ results, catalogue, evidence, prove: null, exchanges }, folder, formats);
}

async function leaksOf(first: number, folder: string): Promise<readonly string[]> {
  const chosen = answers.slice(first, first + TARGETS);
  const evidenceFile = path.join(folder, 'evidence.ndjson.gz');
  // Every eighth run also sends requests that must be refused, is rendered in every format, and is replayed.
  const isWhole = (first / TARGETS) % 8 === 0;
  const isProbing = isWhole && !chosen.some(isOdd);
  const probes = isProbing ? ['token/secret', 'token/grant-type'] : [];
  const results = await conform(
    chosen.map((_answer, index) => targetFor(first + index)),
    runOptions({
      evidenceFile,
      only: ['token/issued', 'token/shape', 'token/type', 'token/scope', 'authorization/accepted', ...probes],
      environment: {},
    }),
  );
  if (isWhole) await writeAll(results, evidenceFile, folder);
  else writeFileSync(path.join(folder, 'results.json'), JSON.stringify(results));
  const { differences, missing } = isWhole
    ? await replay(results, evidenceFile)
    : { differences: [], missing: [] };
  const traces = new Map(chosen.map(({ shape, token }) => [`${shape}: ${token}`, tracesOf(token)]));
  const leaks = [...filesBelow(folder)].flatMap(([name, bytes]) => found(path.basename(name), bytes, traces));
  return [
    ...leaks,
    ...differences.map((one) => `replay: ${JSON.stringify(one)}`),
    ...missing.map(({ request }) => request),
  ];
}

describe('the tokens of an answer of any shape', () => {
  it(`are in no results and no evidence of ${ANSWERS} answers, and in no report of every eighth run, which replays the same`, async () => {
    const leaks: string[] = [];
    for (let first = 0; first < ANSWERS; first += TARGETS) {
      const folder = mkdtempSync(path.join(tmpdir(), 'assay-secrecy-'));
      try {
        leaks.push(...(await leaksOf(first, folder)));
      } finally {
        rmSync(folder, { recursive: true });
      }
    }
    expect(leaks).toEqual([]);
  });

  it('have every shape that the test knows', () => {
    const shapes = new Set(answers.map(({ shape }: TokenAnswer) => shape));
    expect(shapes.size).toBeGreaterThanOrEqual(47);
  });
});
