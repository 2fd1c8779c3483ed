/**
 * Prevents autolinks and mentions in Markdown by putting the characters that start them into code spans.
 * Entities do not help: code hosts search the rendered text for mentions.
 */
export function withoutAutolinks(markdown: string): string {
  return markdown.replace(/(?:@|:\/\/|(?<=www)\.)+/giu, '`$&`');
}
