/**
 * Markdown in which nothing becomes a link or a mention by itself: what makes one of a text stands in a code span, where it
 * is seen. An entity would not do, since code hosts look for mentions when the text is rendered.
 */
export function unlinked(markdown: string): string {
  return markdown.replace(/(?:@|:\/\/|(?<=www)\.)+/giu, '`$&`');
}
