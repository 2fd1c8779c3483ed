import { isUtf8 } from 'node:buffer';
import { writeFile } from 'node:fs/promises';
import type { Content, Creator, Entry, Header as NameAndValue } from 'har-format';
import { bufferOf, type Header, headerOf } from '../../core/exchange.ts';
import { jsonLine } from '../../core/json-text.ts';
import { packageVersion } from '../../core/package-file.ts';
import { FormatError, type ReportData, type ReportEntry } from '../report-data.ts';

/**
 * Writes exchanges as HAR 1.2 for browser tools, entry by entry, so that a large run takes little memory. Requests
 * without an answer have status 0 and an error. Throws FormatError without evidence; Node's error if the file cannot
 * be written; errors of reading the exchanges.
 */
export async function writeHar({ exchanges }: Pick<ReportData, 'exchanges'>, file: string): Promise<void> {
  if (exchanges === undefined) throw new FormatError('evidence.har cannot be made: there is no evidence');
  await writeFile(file, pieces(exchanges()));
}

async function* pieces(exchanges: AsyncIterable<ReportEntry>): AsyncGenerator<string> {
  const creator: Creator = { name: 'assay', version: packageVersion() };
  yield `{"log":{"version":"1.2","creator":${JSON.stringify(creator)},"entries":[\n`;
  let separator = '';
  for await (const one of exchanges) {
    yield separator + jsonLine(entryOf(one));
    separator = ',\n';
  }
  yield '\n]}}\n';
}

function entryOf({ target, exchange, check }: ReportEntry): Entry {
  const { request, answer, failure, firstByteMs, durationMs, connection } = exchange;
  const wait = firstByteMs ?? durationMs;
  return {
    startedDateTime: new Date(exchange.startedAt).toISOString(),
    time: durationMs,
    request: {
      method: request.method,
      url: request.origin + addressOf(request.target),
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: named(request.headers),
      queryString: queryOf(request.target),
      ...(request.body === null
        ? {}
        : {
            postData: { mimeType: headerOf(request.headers, 'content-type') ?? '', text: request.body },
          }),
      headersSize: -1,
      bodySize: request.body === null ? 0 : Buffer.byteLength(request.body),
    },
    response: {
      status: answer?.status ?? 0,
      statusText: answer?.statusText ?? '',
      httpVersion: `HTTP/${answer?.httpVersion ?? '1.1'}`,
      cookies: [],
      headers: named(answer?.headers ?? []),
      content: contentOf(
        answer?.body ?? new Uint8Array(),
        headerOf(answer?.headers ?? [], 'content-type') ?? '',
      ),
      redirectURL: headerOf(answer?.headers ?? [], 'location') ?? '',
      headersSize: -1,
      bodySize: answer?.bodyBytesOnWire ?? -1,
      ...(failure === null ? {} : { _error: failure.message }),
    },
    cache: {},
    timings: { send: 0, wait, receive: Math.max(0, durationMs - wait) },
    ...(connection === null ? {} : { connection: String(connection) }),
    comment: `exchange ${exchange.number} of ${target}${check == null ? '' : `, for ${check}`}`,
  };
}

// Escapes placeholders of secrets and malformed targets, which are not valid in a URI.
function addressOf(target: string): string {
  return target
    .replaceAll(/%(?![0-9A-Fa-f]{2})/gu, '%25')
    .replaceAll(/[^A-Za-z0-9\-._~:/?@!$&'()*+,;=%]/gu, (character) =>
      encodeURIComponent(character.toWellFormed()),
    );
}

function contentOf(body: Uint8Array, mimeType: string): Content {
  const size = body.length;
  const bytes = bufferOf(body);
  return isUtf8(bytes)
    ? { size, mimeType, text: bytes.toString('utf8') }
    : { size, mimeType, text: bytes.toString('base64'), encoding: 'base64' };
}

function named(headers: readonly Header[]): NameAndValue[] {
  return headers.map(([name, value]) => ({ name, value }));
}

// Not decoded, for comparison with the URL.
function queryOf(target: string): NameAndValue[] {
  const question = target.indexOf('?');
  if (question < 0) return [];
  return target
    .slice(question + 1)
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', ...value] = part.split('=');
      return { name, value: value.join('=') };
    });
}
