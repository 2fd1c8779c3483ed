import { parse } from '../../../src/cli/program.ts';
import { packageVersion } from '../../../src/core/package-file.ts';

/**
 * Every `assay …` command line in a text, as words without quotes; other shell syntax on the line is ignored.
 */
export function commandLines(text: string): readonly (readonly string[])[] {
  const found = text.matchAll(/(?:^|[\s(`'"])(?:npx )?assay ((?:[a-z][\w-]*)(?:[^\n`|>&;)]*))/gmu);
  return [...found].map(([, rest = '']) =>
    [...rest.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/gu)].map(
      ([, single, double, bare]) => single ?? double ?? bare ?? '',
    ),
  );
}

/** Parses a command line like the command itself; throws its errors. */
export async function understood(words: readonly string[]): Promise<void> {
  await parse(words, packageVersion(), 100);
}
