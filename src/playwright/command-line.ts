const VARIABLE = 'ASSAY_ALLURE';

/** The shard in a Playwright command line, such as `1/4`; null for a whole run. */
export function shardArgument(words: readonly string[]): string | null {
  const place = words.findIndex((word) => word === '--shard' || word.startsWith('--shard='));
  const word = words[place] ?? '';
  const named = word === '--shard' ? words[place + 1] : word.slice('--shard='.length);
  return /^\d+\/\d+$/u.exec(named ?? '')?.[0] ?? null;
}

/**
 * Whether a command line merges blobs of shards, which creates Playwright's own reports. Assay's results come from
 * `assay merge`, because blobs contain no evidence.
 */
export function isMergeCommand(words: readonly string[]): boolean {
  return words[2] === 'merge-reports';
}

/** Whether a command line only lists tests. */
export function isListCommand(words: readonly string[]): boolean {
  return words.includes('--list');
}

/** Whether a command line opens UI mode or serves an editor: tests run again and again, and no run is written. */
export function isInteractive(words: readonly string[]): boolean {
  return words[2] === 'test-server' || words.some((word) => /^--ui(?:-host|-port)?(?:=|$)/u.test(word));
}

/** Tells workers that allure-playwright is installed. */
export function useAllure(environment: NodeJS.ProcessEnv): void {
  environment[VARIABLE] = '1';
}

/** Whether tests carry annotations for allure-playwright; without it they would only be noise in other reports. */
export function isAllureInUse(environment: NodeJS.ProcessEnv): boolean {
  return environment[VARIABLE] === '1';
}
