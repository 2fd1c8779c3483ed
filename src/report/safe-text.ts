import { visible, visibleLines } from '../core/escape-invisible.ts';
import { withCommas } from '../core/number-format.ts';
import type { Json } from '../core/results.ts';

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

/** A case as text: `pageSize 7, page 3`; a parameter that is null was left out of the request. */
export function showCase(counterexample: { readonly [name: string]: Json }): string {
  return Object.entries(counterexample)
    .map(([name, value]) => `${visible(name)} ${value === null ? 'left out' : showJson(value)}`)
    .join(', ');
}

/**
 * Prevents autolinks and mentions in Markdown by putting the characters that start them into code spans.
 * Entities do not help: code hosts search the rendered text for mentions.
 */
export function withoutAutolinks(markdown: string): string {
  return markdown.replace(/(?:@|:\/\/|(?<=www)\.)+/giu, '`$&`');
}
