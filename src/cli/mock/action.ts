import { appendFileSync, closeSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CertificateExtension } from 'selfsigned';
import { stringify } from 'yaml';
import { matchIds } from '../../../specs/catalogue.ts';
import { DAY_MS } from '../../core/clock.ts';
import { jsonLine, jsonText } from '../../core/json-text.ts';
import { describeSystemError, messageOf } from '../../core/system-error.ts';
import {
  type Control,
  defects,
  type LogLine,
  type Mock,
  type MockOptions,
  startMock,
} from '../../mock/index.ts';
import { alignedLines, enumeration, plural } from '../../report/wording/phrases.ts';
import {
  type Arguments,
  EXIT,
  type ExitStatus,
  type Host,
  type Say,
  UsageError,
  untilInterrupted,
} from '../command.ts';
import { expectPort, flag, text } from '../shared/options.ts';
import { type Chosen, readMockOptions, SWEEP_NAMES, scenarioOf } from './scenario.ts';

/** Standard output receives only the target file. */
export async function performMock(args: Arguments, host: Host): Promise<ExitStatus> {
  const json = flag(args, 'json');
  const wanted = await readMockOptions(args);
  if (flag(args, 'list-defects')) {
    host.out.write(json ? defectsAsJson() : defectList());
    host.err.write(`Also available, for a single page size: ${SWEEP_NAMES}.\n`);
    return EXIT.ok;
  }
  const secure = await securityOf(args);
  const logFile = text(args, 'log');
  const log =
    logFile === null ? null : openRequestLog(logFile, (sentence) => host.err.write(`${sentence}\n`));
  const control: Control = { readScenario: scenarioOf, ...(log === null ? {} : { onLine: log.add }) };
  const options: Chosen = { ...wanted, ...(secure === null ? {} : { tls: secure.tls }), control };
  const mock = await start(options);
  const stopped = untilInterrupted();
  const target = targetOf(mock, options, secure?.ca ?? null);
  const about = `The reference provider of Assay: ${summaryOf(options)}.`;
  host.out.write(json ? `${jsonText(target)}\n` : targetText(target, about));
  host.err.write(
    `Serving ${summaryOf(options)} at ${mock.baseUrl}. Press Ctrl+C to stop. The target file is on standard output.\n`,
  );
  if (secure !== null) host.err.write(`Clients must trust ${secure.ca}.\n`);
  // Without its target file, nobody can use the provider; the process then exits with status 3.
  await Promise.race([stopped, host.outLost]);
  await mock.close();
  log?.close();
  return EXIT.ok;
}

function defectsAsJson(): string {
  const facts = defects.map(({ id, sentence, must, may, records, difficulty }) => {
    return { id, sentence, must, may, records, difficulty };
  });
  return `${jsonText(facts)}\n`;
}

/** A new certificate and the file of its authority; null for http. */
async function securityOf(args: Arguments) {
  const file = text(args, 'ca');
  if (!flag(args, 'tls')) {
    if (file !== null) throw new UsageError('--ca needs --tls');
    return null;
  }
  const { ca, cert, key } = await loopbackCertificate();
  const place = path.resolve(file ?? 'assay-mock-ca.pem');
  try {
    writeFileSync(place, ca);
  } catch (error) {
    const reason = describeSystemError(error);
    throw new UsageError(`cannot write the authority to ${place} (${reason}); choose another file with --ca`);
  }
  return { tls: { cert, key }, ca: place };
}

/** A certificate for loopback, valid for 30 days, and its authority, whose key is discarded. All are PEM. */
export async function loopbackCertificate() {
  const { generate } = await import('selfsigned');
  const now = Date.now();
  const dates = { notBeforeDate: new Date(now - DAY_MS), notAfterDate: new Date(now + 30 * DAY_MS) };
  const make = (name: string, extensions: CertificateExtension[], by?: { cert: string; key: string }) =>
    generate([{ name: 'commonName', value: name }], {
      keyType: 'ec',
      algorithm: 'sha256',
      extensions,
      ...dates,
      ...(by === undefined ? {} : { ca: by }),
    });
  const authority = await make('Assay mock: authority of one start', [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ]);
  const server = await make(
    'localhost',
    [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
    { cert: authority.cert, key: authority.private },
  );
  return { ca: authority.cert, cert: server.cert, key: server.private };
}

async function start(options: MockOptions): Promise<Mock> {
  try {
    return await startMock(options);
  } catch (error) {
    expectPort(error, options.port ?? 0);
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

function defectList(): string {
  // Sorted by the first requirement that each defect breaks.
  const order = matchIds(['*']);
  const place = (id: string | undefined): number => order.indexOf(id ?? '');
  const sorted = defects.toSorted((left, right) => place(left.must[0]) - place(right.must[0]));
  const rows = sorted.map(({ id, sentence, must }) => [id, `${sentence} Breaks ${enumeration(must)}.`]);
  return `${alignedLines(rows).join('\n')}\n`;
}

/** A list with a number of records of its own does not have `records`. */
export function summaryOf({ records, resources, defects: always, scenario }: Chosen): string {
  const lengths = resources?.map((list) => list.records ?? records) ?? [records];
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const lists = lengths.length === 1 ? '' : ` in ${plural(lengths.length, 'list')}`;
  const rules = scenario?.rules?.length ?? 0;
  const deviations = [...always, ...(rules === 0 ? [] : [plural(rules, 'rule')])];
  const such = deviations.length === 0 ? '' : ` with ${enumeration(deviations)}`;
  return `${plural(total, 'record')}${lists}${such}`;
}

/** `ca` is the file of the authority to trust; null without TLS. */
export function targetOf(mock: Mock, { resources, clockRate }: Chosen, ca: string | null): object {
  const { authUrl, baseUrl, tenant, credentials, otherCredentials, expiredToken } = mock;
  return {
    name: 'mock',
    authUrl,
    baseUrl,
    tenant,
    credentials,
    otherCredentials,
    expiredToken,
    ...(resources === undefined ? {} : { resources: resources.map(listOf) }),
    ...(ca === null ? {} : { tls: { ca } }),
    // Loopback needs no protection.
    limits: { requestsPerSecond: 10_000 },
    ...(clockRate === 1 ? {} : { expiry: { clockRate } }),
  };
}

// Every list of the mock contains printers, for any path. Lists whose paths end alike are numbered.
function listOf(
  { path }: { readonly path: string },
  index: number,
  all: readonly { readonly path: string }[],
): object {
  const name = lastNameOf(path);
  const isTaken = all.some((other, at) => at < index && lastNameOf(other.path) === name);
  return {
    name: name === '' || isTaken ? `list-${index + 1}` : name,
    path,
    itemSchema: 'printer',
    idField: 'id',
  };
}

function lastNameOf(path: string): string {
  return path.replace(/^.*\//u, '').replaceAll(/[^A-Za-z0-9._-]/gu, '');
}

export function targetText(target: object, about: string): string {
  return `# ${about}\n${stringify(target, { lineWidth: 0 })}`;
}

/** A log of requests, one JSON object per line. `onLost` is called once if writing fails. Throws UsageError. */
function openRequestLog(file: string, onLost: Say) {
  let handle: number;
  try {
    handle = openSync(file, 'w', 0o600);
  } catch (error) {
    const reason = describeSystemError(error);
    throw new UsageError(`cannot write the log ${file} (${reason}); choose another file with --log`);
  }
  let lost = false;
  return {
    add: (line: LogLine): void => {
      if (lost) return;
      try {
        appendFileSync(handle, `${jsonLine(line)}\n`);
      } catch (error) {
        lost = true;
        onLost(`The log ${file} is incomplete: ${messageOf(error)}.`);
      }
    },
    close: () => closeSync(handle),
  };
}
