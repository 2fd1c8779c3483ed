import { isLoopback } from '../../core/loopback.ts';
import type { Results, TargetResult } from '../../core/results.ts';

/** A target in both runs; null if it is absent. */
type Pair = readonly [before: TargetResult | null, after: TargetResult | null];

/** Differences between two runs in suite, seed and targets, one sentence each. */
export function notesOn(before: Results, after: Results): readonly string[] {
  return [
    ...differenceIn('suite', before.run.suite, after.run.suite),
    ...differenceIn('seed', String(before.run.seed), String(after.run.seed)),
    ...pairsOf(before, after).flatMap(noteOn),
  ];
}

function pairsOf(before: Results, after: Results): readonly Pair[] {
  const [one, ...others] = before.targets;
  const [later, ...further] = after.targets;
  // Two runs with one target each are compared even if the names differ.
  if (one !== undefined && later !== undefined && others.length + further.length === 0) return [[one, later]];
  const named = (targets: readonly TargetResult[], name: string): TargetResult | null =>
    targets.find((target) => target.name === name) ?? null;
  const names = new Set([...before.targets, ...after.targets].map(({ name }) => name));
  return [...names].map((name) => [named(before.targets, name), named(after.targets, name)]);
}

function noteOn([before, after]: Pair): readonly string[] {
  if (before === null) return after === null ? [] : [`${after.name} is judged in the later run only`];
  if (after === null) return [`${before.name} is judged in the earlier run only`];
  if (locationOf(before) === locationOf(after)) return [];
  return differenceIn('target', describe(before), describe(after));
}

function differenceIn(what: string, before: string, after: string): readonly string[] {
  return before === after ? [] : [`different ${what}: ${before} before, ${after} now`];
}

function describe({ name, authUrl, baseUrl }: TargetResult): string {
  return `${name} (${[...new Set([baseUrl, authUrl])].join(', ')})`;
}

// A mock uses a different port at each start.
function locationOf({ name, authUrl, baseUrl }: TargetResult): string {
  const urls = [authUrl, baseUrl].map((text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    return url !== null && isLoopback(url) ? url.protocol + url.hostname + url.pathname : text;
  });
  return JSON.stringify([name, ...urls]);
}
