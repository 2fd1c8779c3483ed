/**
 * Prevents autolinks and mentions in Markdown: what would start one is put in a code span. An entity does not help, since
 * code hosts search the rendered text for mentions.
 */
export function withoutAutolinks(markdown: string): string {
  return markdown.replace(/(?:@|:\/\/|(?<=www)\.)+/giu, '`$&`');
}
