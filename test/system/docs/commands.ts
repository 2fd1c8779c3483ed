import { parse } from '../../../src/cli/program.ts';
import { packageVersion } from '../../../src/core/package-file.ts';

/**
 * Every `assay …` command line in a text of any kind, as words. Quotes are taken off; what a shell would do with
 * the rest of the line is left out.
 */
export function commandLines(text: string): readonly (readonly string[])[] {
  const found = text.matchAll(/(?:^|[\s(`'"])(?:npx )?assay ((?:[a-z][\w-]*)(?:[^\n`|>&;)]*))/gmu);
  return [...found].map(([, rest = '']) =>
    [...rest.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/gu)].map(
      ([, single, double, bare]) => single ?? double ?? bare ?? '',
    ),
  );
}

/** Reads a command line as the command itself would; throws what is wrong with it. */
export async function understood(words: readonly string[]): Promise<void> {
  await parse(words, packageVersion(), 100);
}
