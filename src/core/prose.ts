/** Template tag for sentences over several lines: collapses white space. */
export function prose(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return String.raw({ raw: parts.raw }, ...values)
    .replace(/\s+/gu, ' ')
    .trim();
}
