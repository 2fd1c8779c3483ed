import { matchIds } from '../catalogue/index.ts';
import { didYouMean } from '../catalogue/nearest.ts';
import { defects, type Mock, type MockOptions, startMock } from '../mock/index.ts';
import { enumeration, plural } from '../report/words.ts';
import { decimal, flag, oneOf, texts, wholeNumber } from './arguments.ts';
import type { Arguments } from './command.ts';
import { EXIT, type ExitStatus } from './exit-status.ts';
import type { Host } from './host.ts';
import { watchInterruption } from './interruption.ts';
import { UsageError } from './usage-error.ts';

/**
 * Carries out `assay mock`: standard output receives a target file and nothing else, standard error the words.
 *
 * @throws UsageError where the provider cannot be started so
 */
export async function performMock(args: Arguments, host: Host): Promise<ExitStatus> {
  if (flag(args, 'list-defects')) {
    host.out.write(defectList());
    return EXIT.ok;
  }
  const options = readMockOptions(args);
  const mock = await started(options);
  const stopped = new Promise<void>((resolve) => {
    watchInterruption(resolve, () => undefined);
  });
  host.out.write(targetFile(mock, options));
  host.err.write(
    `Serving ${wordsFor(options)} at ${mock.baseUrl} until Ctrl-C; above is a target file for it.\n`,
  );
  await stopped;
  await mock.close();
  return EXIT.ok;
}

type Chosen = MockOptions & {
  readonly records: number;
  readonly defects: readonly string[];
  readonly clockRate: number;
};

function readMockOptions(args: Arguments): Chosen {
  const known = defects.map((defect) => defect.id);
  const wanted = texts(args, 'defect');
  for (const id of wanted) {
    if (!known.includes(id)) throw new UsageError(`there is no defect "${id}"${didYouMean(id, known)}`);
  }
  return {
    records: wholeNumber(args, 'records', { least: 0, most: 10_000_000 }) ?? 1234,
    port: wholeNumber(args, 'port', { least: 0, most: 65_535 }) ?? 0,
    defects: wanted,
    latencyMs: wholeNumber(args, 'latency', { least: 0, most: 600_000 }) ?? 0,
    clockRate: decimal(args, 'clock-rate', { least: 0.001, most: 1_000_000 }) ?? 1,
    tokens: oneOf(args, 'tokens', ['jwt', 'opaque'] as const) ?? 'jwt',
  };
}

async function started(options: MockOptions): Promise<Mock> {
  try {
    return await startMock(options);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EADDRINUSE')
      throw new UsageError(`port ${options.port} is taken; --port 0 finds a free one`);
    if (code === 'EACCES') throw new UsageError(`port ${options.port} may not be opened by this user`);
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

function wordsFor(options: Chosen): string {
  const records = plural(options.records, 'record');
  return options.defects.length === 0 ? records : `${records} with ${enumeration(options.defects)}`;
}

/** YAML; strings in JSON's quotes, which YAML reads as well. */
function targetFile(mock: Mock, options: Chosen): string {
  const quoted = JSON.stringify;
  const pair = (name: string, { clientId, clientSecret, scope }: Mock['credentials']): readonly string[] => [
    `${name}:`,
    `  clientId: ${quoted(clientId)}`,
    `  clientSecret: ${quoted(clientSecret)}`,
    `  scope: ${quoted(scope)}`,
  ];
  return `${[
    `# The reference provider of Assay: ${wordsFor(options)}.`,
    'name: mock',
    `authUrl: ${quoted(mock.authUrl)}`,
    `baseUrl: ${quoted(mock.baseUrl)}`,
    `tenant: ${quoted(mock.tenant)}`,
    ...pair('credentials', mock.credentials),
    ...pair('otherCredentials', mock.otherCredentials),
    `expiredToken: ${quoted(mock.expiredToken)}`,
    'limits:',
    '  requestsPerSecond: 10000',
    ...(options.clockRate === 1 ? [] : ['expiry:', `  clockRate: ${options.clockRate}`]),
  ].join('\n')}\n`;
}

function defectList(): string {
  // Grouped as the catalogue is ordered, by the first requirement that each breaks.
  const order = matchIds(['*']);
  const place = (id: string | undefined): number => order.indexOf(id ?? '');
  const sorted = defects.toSorted((left, right) => place(left.must[0]) - place(right.must[0]));
  const width = Math.max(...sorted.map((defect) => defect.id.length));
  const lines = sorted.map(
    (defect) => `${defect.id.padEnd(width)}  ${defect.sentence} Breaks ${enumeration(defect.must)}.`,
  );
  return `${lines.join('\n')}\n`;
}
