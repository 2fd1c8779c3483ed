/** Tag for sentences written over several lines: every run of white space becomes one space. */
export function prose(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return String.raw({ raw: parts.raw }, ...values)
    .replace(/\s+/gu, ' ')
    .trim();
}
