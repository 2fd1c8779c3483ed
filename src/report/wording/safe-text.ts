import { withCommas } from '../../core/number-format.ts';
import type { Json } from '../../core/results.ts';
import { visible, visibleLines } from '../../core/visible-text.ts';

export { visible, visibleLines };

/** Like {@link visible}, but at most `limit` characters; a truncated text ends with its full length. */
export function excerpt(text: string, limit: number): string {
  const shown = visible(text);
  if (shown.length <= limit) return shown;
  const characters = [...shown.slice(0, limit)];
  // The cut may have split a surrogate pair.
  if (/^\p{Cs}$/u.test(characters.at(-1) ?? '')) characters.pop();
  return `${characters.join('')}… (${withCommas(text.length)} characters in all)`;
}

/** A value as JSON on one line of at most `limit` characters (default 400), safe for any output. */
export function showJson(value: Json, limit = 400): string {
  return excerpt(JSON.stringify(value), limit);
}

/** An expected or actual value: a sentence without quotes, everything else as JSON. */
export function showValue(value: Json, limit = 400): string {
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
