import { styleText } from 'node:util';
import { withCommas } from '../../core/number-format.ts';
import type { Catalogue } from '../../core/requirement.ts';
import {
  DEFAULT_EXPIRY,
  type ExpirySetting,
  type Json,
  type TargetResult,
  type Traffic,
  type ViolationRecord,
} from '../../core/results.ts';
import { visible, visibleLines } from '../../core/visible-text.ts';

/** Shown for a run that was interrupted or lacks a shard. */
export const INCOMPLETE = 'The run is incomplete: it was interrupted, or a shard is missing.';

/** `1 request`, `1,234 requests`; the plural is the noun with an s. */
export function plural(count: number, noun: string): string {
  return `${withCommas(count)} ${count === 1 ? noun : `${noun}s`}`;
}

export type Style = Parameters<typeof styleText>[0];

/** A text with escape sequences for a terminal. The caller has already evaluated NO_COLOR and similar settings. */
export function styled(style: Style, text: string): string {
  return styleText(style, text, { validateStream: false });
}

/** `2 failures that a waiver covers`. */
export function coveredWords(waived: number): string {
  return `${plural(waived, 'failure')} that a waiver covers`;
}

/** `a`, `a and b`, `a, b and c`. */
export function enumeration(words: readonly (string | number)[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** The first words, and how many are left out: `a, b and 3 more`. */
export function firstWords(words: readonly string[], most: number): string {
  const shown = words.slice(0, most).join(', ');
  return words.length > most ? `${shown} and ${words.length - most} more` : shown;
}

/** `clause 2.3`, `clauses 2.1, 5.3 and 8`; empty without clauses. */
export function clauseWords(clauses: readonly string[]): string {
  if (clauses.length === 0) return '';
  return `${clauses.length === 1 ? 'clause' : 'clauses'} ${enumeration(clauses)}`;
}

export function observedWords({ observations }: Catalogue, id: string): string {
  return observations.find((one) => one.id === id)?.of ?? '';
}

/** A number of bytes: `812 B`, `1.2 MB` (powers of 1,000). */
export function byteWords(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return unit === 0 ? `${bytes} B` : `${value.toFixed(1)} ${units[unit]}`;
}

export function trafficWords(traffic: Traffic): string {
  const repeated = withCommas(traffic.retries);
  const retries = traffic.retries > 0 ? ` (${repeated} of them repeated)` : '';
  const { p50, p95, max } = traffic.latencyMs;
  const sent = `${plural(traffic.requests, 'request')}${retries}`;
  // Without an answer there is neither volume nor latency.
  if (max === 0) return sent;
  const latency = `answers in ${milliseconds(p50)} (median), ${milliseconds(p95)} (95 %), ${milliseconds(max)} (slowest)`;
  return `${sent}, ${byteWords(traffic.bytesReceived)} received, ${latency}`;
}

/** Advice to rerun later or at a lower rate if verdicts are open because of 429; null otherwise. */
export function rateWords({ requirements, traffic }: TargetResult): string | null {
  const isThrottled = requirements.some(({ cause }) => cause?.kind === 'unavailable' && cause.status === 429);
  if (!isThrottled || traffic.acceptedRate === undefined) return null;
  if (traffic.retryAt === undefined)
    return `The provider limits requests (429). Rerun with --rate ${traffic.acceptedRate}.`;
  const nextMinute = new Date(Math.ceil(Date.parse(traffic.retryAt) / 60_000) * 60_000).toISOString();
  return `The provider limits requests (429). It asks to wait until ${timeWords(nextMinute, 'minute')} UTC: rerun then, or ask for a higher limit.`;
}

/** A time in ISO 8601 to the minute or second: `2027-03-31 12:01`, in UTC. */
export function timeWords(time: string, unit: 'minute' | 'second'): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return visible(time);
  const words = date.toISOString().replace('T', ' ');
  return words.slice(0, unit === 'minute' ? 16 : 19);
}

/** `1,234 printers` for every resource of a target; the user chooses the names of resources. */
export function recordWords(target: TargetResult): string {
  const words = Object.entries(target.records).map(([resource, records]) => {
    if (records === null) return `${visible(resource)} not counted`;
    // The singular of a resource name is not known.
    return records === 1 ? `1 record of ${visible(resource)}` : `${withCommas(records)} ${visible(resource)}`;
  });
  return words.length === 0 ? 'no list read' : words.join(', ');
}

/** What a target file changes of the tests of token expiry. */
export function expiryWords({ toleranceSeconds, clockRate }: ExpirySetting): string {
  const usual = DEFAULT_EXPIRY.toleranceSeconds;
  return [
    ...(toleranceSeconds === usual
      ? []
      : [
          `a token may be accepted for ${withCommas(toleranceSeconds)} s after its expiry, instead of ${usual} s`,
        ]),
    ...(clockRate === 1 ? [] : [`the provider's clock counts as ${clockRate} times as fast as real time`]),
  ].join('; ');
}

/** The shell variables that the curl commands of violations read; null if none. */
export function curlWords(violations: readonly Pick<ViolationRecord, 'curl'>[]): string | null {
  const names = new Set(
    violations.flatMap(({ curl }) =>
      // A sequence of commands sets some variables itself.
      [...curl.matchAll(VARIABLE)]
        .map(([, name = '']) => name)
        .filter((name) => !curl.includes(`${name}=$(`)),
    ),
  );
  if (names.size === 0) return null;
  const sorted = [...names].toSorted((left, right) => left.localeCompare(right, 'en'));
  const one = violations.length === 1;
  return `The curl ${one ? 'command reads' : 'commands read'} ${enumeration(sorted)} from your shell.`;
}

const VARIABLE = /\$\{?([A-Z][A-Z0-9_]*)/gu;

/** A duration: `0.4 ms`, `31 ms`, `2.5 s`. */
export function milliseconds(value: number): string {
  if (value >= 1000) return `${(value / 1000).toFixed(1)} s`;
  return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} ms`;
}

// Names of JSON members keep their spelling.
const MEMBERS = new Set(['items', 'count', 'scope', 'id', 'agent']);

/** A message that begins with a capital letter, unless its first word is a name. */
export function sentence(message: string): string {
  const [first = ''] = message.split(' ', 1);
  return /^[a-z]+$/u.test(first) && !MEMBERS.has(first)
    ? `${first.charAt(0).toUpperCase()}${message.slice(1)}`
    : message;
}

/**
 * The expected and the actual value of a violation, if given. A custom check may omit them, which results.json records as
 * null. No rule expects null, so an expected null means omitted; an actual null counts if something was expected.
 *
 * @param limit most characters of each
 */
export function comparedWords(
  { expected, actual }: Pick<ViolationRecord, 'expected' | 'actual'>,
  limit?: number,
): { readonly expected?: string; readonly actual?: string } {
  if (expected !== null) return { expected: showValue(expected, limit), actual: showValue(actual, limit) };
  return actual === null ? {} : { actual: showValue(actual, limit) };
}

/** Rows of cells as lines in columns; numbers are aligned to the right. */
export function alignedLines(rows: readonly (readonly (string | number)[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_head, column) =>
    Math.max(...rows.map((row) => String(row[column] ?? '').length)),
  );
  const cellOf = (cell: string | number, column: number): string =>
    typeof cell === 'number' ? String(cell).padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return rows.map((row) => row.map(cellOf).join('  ').trimEnd());
}

export { visible, visibleLines };

/** Like {@link visible}, but at most `limit` characters; a truncated text ends with its full length. */
export function excerpt(text: string, limit: number): string {
  const shown = visible(text);
  if (shown.length <= limit) return shown;
  // The cut may have split a surrogate pair.
  const start = shown.slice(0, limit).replace(/\p{Cs}$/u, '');
  return `${start}… (${withCommas(text.length)} characters in all)`;
}

/** A value as JSON on one line of at most `limit` characters (default 400), safe for any output. */
export function showJson(value: Json, limit = 400): string {
  return excerpt(JSON.stringify(value), limit);
}

/** An expected or actual value: a sentence without quotes, everything else as JSON. */
function showValue(value: Json, limit = 400): string {
  const isSentence = typeof value === 'string' && / /u.test(value) && value.trim() === value;
  return isSentence ? excerpt(value, limit) : showJson(value, limit);
}

/** A case as text: `pageSize 7, page 3`; a parameter that is null was left out of the request. */
export function showCase(counterexample: { readonly [name: string]: Json }): string {
  return Object.entries(counterexample)
    .map(([name, value]) => `${visible(name)} ${value === null ? 'left out' : showJson(value)}`)
    .join(', ');
}

/**
 * Text for Markdown, without markup, HTML, links and mentions. The characters that start autolinks and mentions are put into
 * code spans; entities do not help, because code hosts search the rendered text for mentions.
 */
export function markdownText(text: string): string {
  return visible(text)
    .replace(/[\\`*_{}[\]()#+!|~$]/gu, '\\$&')
    .replace(/&/gu, '&amp;')
    .replace(/</gu, '&lt;')
    .replace(/>/gu, '&gt;')
    .replace(/(?:@|:\/\/|(?<=www)\.)+/giu, '`$&`');
}
