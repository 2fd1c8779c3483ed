import path from 'node:path';
import { jsonText } from '../core/json-text.ts';
import { packageVersion } from '../core/package-file.ts';
import type { Json, Results } from '../core/results.ts';
import { plural } from '../report/phrases.ts';
import { visible } from '../report/safe-text.ts';
import type { Difference } from '../run/differences.ts';
import { type Replay, replay } from '../run/replay.ts';
import { flag, text } from './arguments.ts';
import type { Arguments } from './command.ts';
import { EXIT, type ExitStatus } from './exit-status.ts';
import { readResults, resultsFile } from './finished-run.ts';
import type { Host } from './host.ts';
import { UsageError } from './usage-error.ts';

/** Differences of one requirement that are told; the rest are counted. */
const MOST_TOLD = 5;
/** Characters of a value that are told. */
const LONGEST = 160;

/**
 * Carries out `assay replay`: 0 where everything comes out the same, 1 where anything does not.
 *
 * @throws UsageError, EvidenceError where the run cannot be judged again
 */
export async function performReplay(args: Arguments, host: Host): Promise<ExitStatus> {
  const file = await resultsFile(String(args['run']));
  const results = await readResults(file);
  const only = text(args, 'target');
  const names = results.targets.map(({ name }) => name);
  if (only !== null && !names.includes(only))
    throw new UsageError(`the run has no target "${only}"; it has ${names.join(', ')}`);
  const again = await replay(results, path.join(path.dirname(file), 'evidence.ndjson.gz'), { only });
  if (flag(args, 'json')) host.out.write(`${jsonText(again)}\n`);
  else host.out.write(replayWords(results, again));
  return again.differences.length === 0 && again.missing.length === 0 ? EXIT.ok : EXIT.failed;
}

/** What a replay came to, in words. */
export function replayWords(results: Results, judgedAgain: Replay): string {
  const { targets, differences, missing } = judgedAgain;
  const judged = targets.reduce((sum, { requirements }) => sum + requirements.length, 0);
  const observed = targets.reduce((sum, { observations }) => sum + observations.length, 0);
  const what = `${plural(judged, 'verdict')} and ${plural(observed, 'observation')} of run ${visible(results.run.id)}`;
  const notes = [...buildWords(results, judgedAgain.isSameBuild), ...ownChecksWords(judgedAgain)];
  if (differences.length === 0 && missing.length === 0)
    return [`Judged again from evidence: ${what} come out the same, field by field.`, ...notes, ''].join(
      '\n',
    );
  const lines = [`Judged again from evidence, ${what} do not all come out the same.`];
  for (const [name, group] of grouped(differences)) {
    lines.push(`  ${visible(name)}`);
    for (const { field, then, now: again } of group.slice(0, MOST_TOLD))
      lines.push(`    ${visible(field)}: ${shown(then)}, now ${shown(again)}`);
    if (group.length > MOST_TOLD) lines.push(`    and ${plural(group.length - MOST_TOLD, 'field')} more`);
  }
  const lacking = missing.map(({ request, check }) =>
    check === null ? request : `${request}, for ${check}`,
  );
  for (const request of new Set(lacking)) lines.push(`  the evidence holds no answer to ${visible(request)}`);
  return [...lines, ...notes, ''].join('\n');
}

function buildWords({ tool }: Results, isSameBuild: boolean | null): readonly string[] {
  if (isSameBuild === true) return [];
  if (isSameBuild === null)
    return [
      'The evidence does not say which build of Assay judged the run: another build may judge otherwise.',
    ];
  const versions = `${visible(tool.version)}; this is ${packageVersion()}`;
  return [`The run was judged by another build of Assay (${versions}), which may judge otherwise.`];
}

function ownChecksWords({ leftOut, ownChecks }: Replay): readonly string[] {
  if (leftOut === 0) return [];
  const files = Object.entries(ownChecks).map(
    ([file, digest]) => `  ${visible(file)} (SHA-256 ${visible(digest)})`,
  );
  return [`Not judged again: ${plural(leftOut, 'verdict')} of own checks.`, ...files];
}

function grouped(differences: readonly Difference[]): ReadonlyMap<string, readonly Difference[]> {
  const groups = new Map<string, Difference[]>();
  for (const one of differences) {
    const name = [one.target ?? 'the run as a whole', one.of].filter((part) => part !== null).join(': ');
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return groups;
}

function shown(value: Json | undefined): string {
  const words = value === undefined ? 'nothing' : JSON.stringify(value);
  return visible(words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words);
}
