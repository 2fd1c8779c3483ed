import path from 'node:path';
import { jsonText } from '../../core/json-text.ts';
import { withCommas } from '../../core/number-format.ts';
import type { EvidenceEntry } from '../../evidence/evidence-entry.ts';
import { readEvidence } from '../../evidence/reader.ts';
import type { Arguments } from '../command.ts';
import type { Host } from '../host.ts';
import { flag, text } from '../shared/arguments.ts';
import { EXIT, type ExitStatus } from '../shared/exit-status.ts';
import { readResults, resultsFile } from '../shared/results-file.ts';
import { UsageError } from '../shared/usage-error.ts';
import { exchangeFacts, exchangeText } from './exchange-text.ts';

/**
 * Runs `assay show`.
 *
 * @throws UsageError, EvidenceError if there is no such exchange
 */
export async function performShow(args: Arguments, host: Host): Promise<ExitStatus> {
  const number = numberOf(String(args['exchange']));
  const file = await resultsFile(String(args['run']));
  const { targets } = await readResults(file);
  const names = targets.map(({ name }) => name);
  const target = targetOf(text(args, 'target'), names);
  const entry = await find(path.join(path.dirname(file), 'evidence.ndjson.gz'), target, number);
  if (flag(args, 'json')) host.out.write(`${jsonText(exchangeFacts(entry))}\n`);
  else host.out.write(exchangeText(entry));
  return EXIT.ok;
}

function numberOf(given: string): number {
  if (/^[1-9]\d{0,14}$/u.test(given)) return Number(given);
  throw new UsageError(`an exchange is named by its number, such as 17, not "${given}"`);
}

function targetOf(given: string | null, names: readonly string[]): string {
  const [only] = names;
  if (given === null && names.length === 1 && only !== undefined) return only;
  if (given === null) throw new UsageError(`the run has several targets; add --target ${names.join(' or ')}`);
  if (names.includes(given)) return given;
  throw new UsageError(`the run has no target "${given}"; it has ${names.join(', ')}`);
}

async function find(file: string, target: string, number: number): Promise<EvidenceEntry> {
  let last = 0;
  const isRequested = (name: string, exchange: number): boolean => name === target && exchange === number;
  for await (const entry of readEvidence(file, isRequested)) {
    if (isRequested(entry.target, entry.exchange.number)) return entry;
    if (entry.target === target) last = Math.max(last, entry.exchange.number);
  }
  const range = last === 0 ? 'none' : `1 to ${withCommas(last)}`;
  throw new UsageError(`${target} has no exchange ${number}; the evidence has ${range}`);
}
