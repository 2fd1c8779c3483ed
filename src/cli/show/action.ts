import { isUtf8 } from 'node:buffer';
import path from 'node:path';
import { bufferOf, type Header } from '../../core/exchange.ts';
import { FILE_NAMES } from '../../core/file-names.ts';
import { withCommas } from '../../core/number-format.ts';
import type { Results } from '../../core/results.ts';
import type { EvidenceEntry } from '../../evidence/line.ts';
import { readEvidence } from '../../evidence/reader.ts';
import { plural, visible, visibleLines } from '../../report/wording/phrases.ts';
import { type Arguments, EXIT, type ExitStatus, type Host, UsageError } from '../command.ts';
import { printFacts, text } from '../shared/options.ts';
import { readRun, targetNamed } from '../shared/run-files/results-file.ts';

/** Runs `assay show`. Throws UsageError, EvidenceError if there is no such exchange. */
export async function performShow(args: Arguments, host: Host): Promise<ExitStatus> {
  const given = String(args['exchange']);
  if (!/^[1-9]\d{0,14}$/u.test(given))
    throw new UsageError(`an exchange is named by its number, such as 17, not "${given}"`);
  const { folder, results } = await readRun(args['run']);
  const target = targetOf(results, text(args, 'target'));
  const entry = await find(path.join(folder, FILE_NAMES.evidence), target, Number(given));
  printFacts(exchangeFacts(entry), exchangeText(entry), args, host);
  return EXIT.ok;
}

/** The name of the target that is meant: the only one of the run unless one is given. */
function targetOf(results: Results, given: string | null): string {
  if (given !== null) return targetNamed(results, given).name;
  const [only, ...others] = results.targets.map(({ name }) => name);
  if (only === undefined) throw new UsageError('the run has no target');
  if (others.length === 0) return only;
  throw new UsageError(`the run has several targets; add --target ${[only, ...others].join(' or ')}`);
}

async function find(file: string, target: string, number: number): Promise<EvidenceEntry> {
  let last = 0;
  const isRequested = (name: string, exchange: number): boolean => name === target && exchange === number;
  for await (const entry of readEvidence(file, { needsBody: isRequested })) {
    if (isRequested(entry.target, entry.exchange.number)) return entry;
    if (entry.target === target) last = Math.max(last, entry.exchange.number);
  }
  const range = last === 0 ? 'none' : `1 to ${withCommas(last)}`;
  throw new UsageError(`${target} has no exchange ${number}; the evidence has ${range}`);
}

function exchangeText(entry: EvidenceEntry): string {
  const { request, answer, failure } = entry.exchange;
  const purpose = entry.check === null ? '' : `, sent for ${entry.check}`;
  const lines = [
    `Exchange ${entry.exchange.number} of ${visible(entry.target)}${visible(purpose)}`,
    timing(entry),
    '',
    `${visible(request.method)} ${visible(request.origin)}${visible(request.target)}`,
    ...headerLines(request.headers),
    ...(request.body === null ? [] : ['', visible(request.body)]),
    '',
  ];
  if (failure !== null) lines.push(`No answer: ${visible(failure.message)}`);
  if (answer !== null) {
    const status = `HTTP/${answer.httpVersion} ${answer.status} ${answer.statusText}`;
    lines.push(visible(status).trimEnd(), ...headerLines(answer.headers));
    if (answer.body.length > 0) lines.push('', bodyText(answer.body));
  }
  return `${lines.join('\n')}\n`;
}

function timing({ exchange }: EvidenceEntry): string {
  const { answer, firstByteMs, durationMs, connection, retry } = exchange;
  return [
    new Date(exchange.startedAt).toISOString(),
    `${durationMs.toFixed(1)} ms${firstByteMs === null ? '' : ` (first byte after ${firstByteMs.toFixed(1)} ms)`}`,
    ...(answer === null ? [] : [`${plural(answer.bodyBytesOnWire, 'byte')} of body`]),
    ...(connection === null ? [] : [`connection ${connection}`]),
    ...(retry === 0 ? [] : [`retry ${retry}`]),
  ].join(', ');
}

function headerLines(headers: readonly Header[]): readonly string[] {
  return headers.map(([name, value]) => `${visible(name)}: ${visible(value)}`);
}

function bodyText(body: Uint8Array): string {
  if (!isUtf8(body))
    return `(${withCommas(body.length)} bytes that are not UTF-8; --json has them in base64)`;
  return visibleLines(bufferOf(body).toString('utf8'));
}

/** An exchange for JSON output; a body that is not UTF-8 is in base64. */
function exchangeFacts(entry: EvidenceEntry): object {
  const { redacted: _, answer, ...exchange } = entry.exchange;
  const { target, check } = entry;
  return {
    target,
    check,
    ...exchange,
    startedAt: new Date(exchange.startedAt).toISOString(),
    answer: answer === null ? null : { ...answer, ...bodyFacts(answer.body) },
  };
}

function bodyFacts(body: Uint8Array): object {
  const bytes = bufferOf(body);
  return isUtf8(bytes)
    ? { body: bytes.toString('utf8') }
    : { body: bytes.toString('base64'), bodyEncoding: 'base64' };
}
