import { parse } from '../../../src/cli/program.ts';

/** A block of shell commands of a page, with the output that the page shows. */
export interface Snippet {
  /** Its first line in the page. */
  readonly line: number;
  readonly script: string;
  /** Exit status of its last command; 0 unless the page says otherwise. */
  readonly status: number;
  /** Why a test cannot run it; null if it can. */
  readonly why: string | null;
  /** Parts of the output, in order; the page has `…` where it leaves something out. */
  readonly shows: readonly string[];
}

const fence = /(?:<!-- (status|not run): ([^\n]+?) -->\n+)?^```sh\n(.*?)^```(?:\n+^```text\n(.*?)^```)?/gmsu;

/**
 * The `sh` blocks of a page. A comment before a block annotates it: `<!-- status: 1 -->` or `<!-- not run:
 * why -->`. A `text` block directly after it shows its output.
 */
export function snippetsOf(text: string): readonly Snippet[] {
  return [...text.matchAll(fence)].map(
    ({ 1: kind, 2: value = '', 3: script = '', 4: shown = '', index }) => ({
      line: text.slice(0, index).split('\n').length,
      script,
      status: kind === 'status' ? Number(value) : 0,
      why: kind === 'not run' ? value : null,
      shows: shown.split(/\n|…/u).filter((line) => line.trim() !== ''),
    }),
  );
}

/** Normalises output: numbers and the amount of white space do not matter. */
export function skeleton(text: string): string {
  return text.replaceAll(/[0-9a-f]{4,}(?:-[0-9a-f]+)*|\d+(?:[.,]\d+)*/gu, '#').replaceAll(/\s+/gu, ' ');
}

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
  await parse(words, 100);
}
