/** The cells of one line. */
export type Line = readonly string[];

/** Lines in columns, truncated to the width of the terminal. */
export function tableLines(lines: readonly Line[], width: number): readonly string[] {
  const widths = (lines[0] ?? []).map((_cell, column) =>
    Math.max(...lines.map((line) => (line[column] ?? '').length)),
  );
  return lines.map((line) => {
    const whole = line
      .map((cell, column) => (column === line.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ');
    return whole.length > width ? `${whole.slice(0, Math.max(1, width - 1))}…` : whole;
  });
}

/** Lines as a Markdown table; identifiers in the first column are code. */
export function markdownText(head: Line, lines: readonly Line[]): string {
  const cell = (text: string, column: number): string => {
    if (column === 0 && text.includes('/')) return `\`${text}\``;
    return text.replace(/[\\|<>*_`[\]]/gu, (character) => (character === '<' ? '&lt;' : `\\${character}`));
  };
  const row = (cells: Line): string => `| ${cells.join(' | ')} |`;
  return `${[
    row(head),
    `|${head.map(() => '---').join('|')}|`,
    ...lines.map((line) => row(line.map(cell))),
  ].join('\n')}\n`;
}

/** Lines as CSV (RFC 4180) with CR LF. */
export function csvText(head: Line, lines: readonly Line[]): string {
  const cell = (text: string): string => (/[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return `${[head, ...lines].map((line) => line.map(cell).join(',')).join('\r\n')}\r\n`;
}
