import { isUtf8 } from 'node:buffer';
import type { Header } from '../../core/exchange.ts';
import { withCommas } from '../../core/number-format.ts';
import type { EvidenceEntry } from '../../evidence/evidence-entry.ts';
import { plural } from '../../report/phrases.ts';
import { visible } from '../../report/safe-text.ts';

/** An exchange as text. Control characters are shown as escapes. */
export function exchangeText(entry: EvidenceEntry): string {
  const { request, answer, failure } = entry.exchange;
  const purpose = entry.check === null ? '' : `, sent for ${entry.check}`;
  const lines = [
    `Exchange ${entry.exchange.number} of ${visible(entry.target)}${visible(purpose)}`,
    ...(entry.note === null ? [] : [visible(entry.note)]),
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
  const text = Buffer.from(body).toString('utf8');
  return text.split('\n').map(visible).join('\n');
}

/** An exchange for JSON output; a body that is not UTF-8 is in base64. */
export function exchangeFacts(entry: EvidenceEntry): object {
  const { redacted: _, answer, ...exchange } = entry.exchange;
  const { target, check, note } = entry;
  return {
    target,
    check,
    note,
    ...exchange,
    startedAt: new Date(exchange.startedAt).toISOString(),
    answer: answer === null ? null : { ...answer, ...bodyFacts(answer.body) },
  };
}

function bodyFacts(body: Uint8Array): object {
  const bytes = Buffer.from(body);
  return isUtf8(bytes)
    ? { body: bytes.toString('utf8') }
    : { body: bytes.toString('base64'), bodyEncoding: 'base64' };
}
