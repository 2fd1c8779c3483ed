import { appendFileSync, closeSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { matchIds } from '../../../specs/catalogue.ts';
import { jsonLine, jsonText } from '../../core/json-text.ts';
import { codeOf, messageOf } from '../../core/system-error.ts';
import {
  type Control,
  defects,
  type LogLine,
  type Mock,
  type MockOptions,
  startMock,
} from '../../mock/index.ts';
import { enumeration, plural } from '../../report/phrases.ts';
import type { Arguments } from '../command.ts';
import type { Host } from '../host.ts';
import { flag, text } from '../shared/arguments.ts';
import { EXIT, type ExitStatus } from '../shared/exit-status.ts';
import { untilInterrupted } from '../shared/interruption.ts';
import { UsageError } from '../shared/usage-error.ts';
import { type Chosen, readMockOptions, SWEEP_NAMES, scenarioOf } from './scenario.ts';

/** A log file of requests, one JSON object per line. */
interface LogFile {
  readonly add: (line: LogLine) => void;
  readonly close: () => void;
}

/**
 * Runs `assay mock`. Standard output receives only the target file.
 *
 * @throws UsageError if the provider cannot be started
 */
export async function performMock(args: Arguments, host: Host): Promise<ExitStatus> {
  const json = flag(args, 'json');
  if (flag(args, 'list-defects')) {
    host.out.write(json ? defectsAsJson() : defectList());
    host.err.write(`Also available, for a single page size: ${SWEEP_NAMES}.\n`);
    return EXIT.ok;
  }
  const wanted = await readMockOptions(args);
  const secure = await securityOf(args);
  const logFile = text(args, 'log');
  const log = logFile === null ? null : openLog(logFile, (sentence) => host.err.write(`${sentence}\n`));
  const control: Control = { readScenario: scenarioOf, ...(log === null ? {} : { onLine: log.add }) };
  const options: Chosen = { ...wanted, ...(secure === null ? {} : { tls: secure.tls }), control };
  const mock = await start(options);
  const stopped = untilInterrupted();
  const file = targetFile(mock, options, secure?.ca ?? null);
  host.out.write(json ? await asJson(file) : file);
  host.err.write(
    `Serving ${summaryOf(options)} at ${mock.baseUrl}. Press Ctrl+C to stop. The target file is on standard output.\n`,
  );
  if (secure !== null) host.err.write(`Clients must trust ${secure.ca}.\n`);
  await stopped;
  await mock.close();
  log?.close();
  return EXIT.ok;
}

/** The target file as JSON. */
async function asJson(file: string): Promise<string> {
  const { parse } = await import('yaml');
  return `${jsonText(parse(file))}\n`;
}

function defectsAsJson(): string {
  const facts = defects.map(({ id, sentence, must, may, records, difficulty }) => {
    return { id, sentence, must, may, records, difficulty };
  });
  return `${jsonText(facts)}\n`;
}

/** A new certificate and the file of its authority; null for http. */
async function securityOf(
  args: Arguments,
): Promise<{ readonly tls: { readonly cert: string; readonly key: string }; readonly ca: string } | null> {
  const file = text(args, 'ca');
  if (!flag(args, 'tls')) {
    if (file !== null) throw new UsageError('--ca needs --tls');
    return null;
  }
  const { loopbackCertificate } = await import('./certificates.ts');
  const { ca, cert, key } = await loopbackCertificate();
  const place = path.resolve(file ?? 'assay-mock-ca.pem');
  try {
    writeFileSync(place, ca);
  } catch (error) {
    const reason = codeOf(error) ?? String(error);
    throw new UsageError(`cannot write the authority to ${place} (${reason}); choose another file with --ca`);
  }
  return { tls: { cert, key }, ca: place };
}

async function start(options: MockOptions): Promise<Mock> {
  try {
    return await startMock(options);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EADDRINUSE')
      throw new UsageError(`port ${options.port} is in use; --port 0 chooses a free one`);
    if (code === 'EACCES') throw new UsageError(`no permission to open port ${options.port}`);
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

function defectList(): string {
  // Sorted by the first requirement that each defect breaks.
  const order = matchIds(['*']);
  const place = (id: string | undefined): number => order.indexOf(id ?? '');
  const sorted = defects.toSorted((left, right) => place(left.must[0]) - place(right.must[0]));
  const width = Math.max(...sorted.map((defect) => defect.id.length));
  const lines = sorted.map(
    (defect) => `${defect.id.padEnd(width)}  ${defect.sentence} Breaks ${enumeration(defect.must)}.`,
  );
  return `${lines.join('\n')}\n`;
}

/**
 * Opens a new log file. Each request is written immediately, so that the file can be followed.
 *
 * @param onLost called once, with a sentence, if writing fails
 * @throws UsageError if the file cannot be opened
 */
function openLog(file: string, onLost: (sentence: string) => void): LogFile {
  const handle = openLogFile(file);
  let lost = false;
  return {
    add: (line) => {
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

function openLogFile(file: string): number {
  try {
    return openSync(file, 'w', 0o600);
  } catch (error) {
    const reason = codeOf(error) ?? String(error);
    throw new UsageError(`cannot write the log ${file} (${reason})`);
  }
}

/** Description of the provider, as part of a sentence. */
function summaryOf({ records, defects: always, scenario }: Chosen): string {
  const rules = scenario?.rules?.length ?? 0;
  const deviations = [...always, ...(rules === 0 ? [] : [plural(rules, 'rule')])];
  return deviations.length === 0
    ? plural(records, 'record')
    : `${plural(records, 'record')} with ${enumeration(deviations)}`;
}

/**
 * A target file for a running provider: YAML, with strings quoted as in JSON.
 *
 * @param ca file of the authority to trust; null without TLS
 */
export function targetFile(mock: Mock, options: Chosen, ca: string | null): string {
  const quoted = JSON.stringify;
  const pair = (name: string, { clientId, clientSecret, scope }: Mock['credentials']): readonly string[] => [
    `${name}:`,
    `  clientId: ${quoted(clientId)}`,
    `  clientSecret: ${quoted(clientSecret)}`,
    `  scope: ${quoted(scope)}`,
  ];
  return `${[
    `# The reference provider of Assay: ${summaryOf(options)}.`,
    'name: mock',
    `authUrl: ${quoted(mock.authUrl)}`,
    `baseUrl: ${quoted(mock.baseUrl)}`,
    `tenant: ${quoted(mock.tenant)}`,
    ...pair('credentials', mock.credentials),
    ...pair('otherCredentials', mock.otherCredentials),
    `expiredToken: ${quoted(mock.expiredToken)}`,
    ...resourceLines(options),
    ...(ca === null ? [] : ['tls:', `  ca: ${quoted(ca)}`]),
    'limits:',
    '  requestsPerSecond: 10000',
    ...(options.clockRate === 1 ? [] : ['expiry:', `  clockRate: ${options.clockRate}`]),
  ].join('\n')}\n`;
}

// Every list of the mock contains printers, for any path.
function resourceLines({ resources }: Chosen): readonly string[] {
  if (resources === undefined) return [];
  const entries = resources.map(({ path }, index) => {
    const name = path.replace(/^.*\//u, '').replaceAll(/[^A-Za-z0-9._-]/gu, '') || `list-${index + 1}`;
    return `  - {name: ${JSON.stringify(name)}, path: ${JSON.stringify(path)}, itemSchema: printer, idField: id}`;
  });
  return ['resources:', ...entries];
}
