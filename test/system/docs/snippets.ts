/** A block of shell commands of a page, and what the page shows to come out of it. */
export interface Snippet {
  /** Line of the page on which it begins. */
  readonly line: number;
  readonly script: string;
  /** Exit status of its last command; 0 unless the page says otherwise. */
  readonly status: number;
  /** Why it cannot be run by a test; null where it can. */
  readonly why: string | null;
  /** Lines that the page shows as its output. */
  readonly shows: readonly string[];
}

const fence = /(?:<!-- (status|not run): ([^\n]+?) -->\n+)?^```sh\n(.*?)^```(?:\n+^```text\n(.*?)^```)?/gmsu;

/**
 * The blocks marked `sh` of a page. A comment before a block says what a reader sees anyway: `<!-- status: 1 -->`,
 * or `<!-- not run: why -->`. A block marked `text` right behind one shows what comes out.
 */
export function snippetsOf(text: string): readonly Snippet[] {
  return [...text.matchAll(fence)].map(
    ({ 1: kind, 2: value = '', 3: script = '', 4: shown = '', index }) => ({
      line: text.slice(0, index).split('\n').length,
      script,
      status: kind === 'status' ? Number(value) : 0,
      why: kind === 'not run' ? value : null,
      shows: shown.split('\n').filter((line) => line.trim() !== ''),
    }),
  );
}

/** Output in which numbers, and how much blank there is, make no difference. */
export function skeleton(text: string): string {
  return text.replaceAll(/[0-9a-f]{4,}(?:-[0-9a-f]+)*|\d+(?:[.,]\d+)*/gu, '#').replaceAll(/\s+/gu, ' ');
}
