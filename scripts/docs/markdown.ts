/** A page of the documentation; the path is relative to docs/. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** Text with Markdown characters escaped. */
export function plain(text: string): string {
  return text.replace(/[\\|<>*_[\]]/gu, (character) => (character === '<' ? '&lt;' : `\\${character}`));
}

/** A table; cells are Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** A page of blocks, separated by empty lines, with a note about its source. */
export function page(path: string, source: string, blocks: readonly (string | null)[]): Page {
  const note = `<!-- Written by \`npm run docs\` from ${source}; changes made here are lost. -->`;
  return { path, text: `${[...blocks.filter((block) => block !== null), note].join('\n\n')}\n` };
}
