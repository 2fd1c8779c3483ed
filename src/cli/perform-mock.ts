import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { matchIds } from '../../specs/catalogue.ts';
import { jsonText } from '../core/json-text.ts';
import { type Control, defects, type Mock, type MockOptions, startMock } from '../mock/index.ts';
import { enumeration } from '../report/phrases.ts';
import { flag, text } from './arguments.ts';
import type { Arguments } from './command.ts';
import { EXIT, type ExitStatus } from './exit-status.ts';
import type { Host } from './host.ts';
import { watchInterruption } from './interruption.ts';
import { SWEEP_NAMES } from './mock/defect-names.ts';
import { openLog } from './mock/log-file.ts';
import { type Chosen, readMockOptions } from './mock/mock-options.ts';
import { scenarioOf } from './mock/scenario-file.ts';
import { targetFile, wordsFor } from './mock/target-file.ts';
import { UsageError } from './usage-error.ts';

/**
 * Carries out `assay mock`: standard output receives a target file and nothing else, standard error the words.
 *
 * @throws UsageError where the provider cannot be started so
 */
export async function performMock(args: Arguments, host: Host): Promise<ExitStatus> {
  const json = flag(args, 'json');
  if (flag(args, 'list-defects')) {
    host.out.write(json ? defectsAsJson() : defectList());
    host.err.write(`There are those of one page size as well: ${SWEEP_NAMES}.\n`);
    return EXIT.ok;
  }
  const wanted = await readMockOptions(args);
  const secure = await securityOf(args);
  const logFile = text(args, 'log');
  const log = logFile === null ? null : openLog(logFile, (sentence) => host.err.write(`${sentence}\n`));
  const control: Control = { readScenario: scenarioOf, ...(log === null ? {} : { onLine: log.add }) };
  const options: Chosen = { ...wanted, ...(secure === null ? {} : { tls: secure.tls }), control };
  const mock = await started(options);
  const stopped = new Promise<void>((resolve) => {
    watchInterruption(resolve, () => undefined);
  });
  const file = targetFile(mock, options, secure?.ca ?? null);
  host.out.write(json ? await asJson(file) : file);
  host.err.write(
    `Serving ${wordsFor(options)} at ${mock.baseUrl} until Ctrl-C; above is a target file for it.\n`,
  );
  if (secure !== null) host.err.write(`Clients have to trust ${secure.ca}.\n`);
  await stopped;
  await mock.close();
  log?.close();
  return EXIT.ok;
}

/** A target file in JSON, which is one as well. */
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

/** A certificate made now, and the file that its authority was written to; null where http is served. */
async function securityOf(
  args: Arguments,
): Promise<{ readonly tls: { readonly cert: string; readonly key: string }; readonly ca: string } | null> {
  const file = text(args, 'ca');
  if (!flag(args, 'tls')) {
    if (file !== null) throw new UsageError('--ca is for --tls');
    return null;
  }
  const { loopbackCertificate } = await import('./mock/certificates.ts');
  const { ca, cert, key } = await loopbackCertificate();
  const place = path.resolve(file ?? 'assay-mock-ca.pem');
  try {
    writeFileSync(place, ca);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UsageError(`the authority cannot be written to ${place} (${reason}); --ca names another file`);
  }
  return { tls: { cert, key }, ca: place };
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
