import path from 'node:path';
import { jsonText } from '../core/json-text.ts';
import { packageVersion } from '../core/package-file.ts';
import type { Json, Results } from '../core/results.ts';
import { visible } from '../report/safe-text.ts';
import { plural } from '../report/words.ts';
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
  const { targets, differences, missing, changedChecks, leftOut } = judgedAgain;
  const own =
    leftOut === 0
      ? ''
      : `${plural(leftOut, 'verdict')} by checks of the user's own ${leftOut === 1 ? 'was' : 'were'} left out.\n`;
  const judged = targets.reduce((sum, { requirements }) => sum + requirements.length, 0);
  const observed = targets.reduce((sum, { observations }) => sum + observations.length, 0);
  const what = `${plural(judged, 'verdict')} and ${plural(observed, 'observation')} of run ${visible(results.run.id)}`;
  if (differences.length === 0 && missing.length === 0)
    return `Judged again from evidence: ${what} come out the same, field by field.\n${own}`;
  const lines = [`Judged again from evidence, ${what} do not all come out the same.`];
  const now = packageVersion();
  if (now !== results.tool.version)
    lines.push(`The run was judged by Assay ${visible(results.tool.version)}, this is Assay ${now}.`);
  lines.push(changeWords(changedChecks));
  for (const [name, group] of grouped(differences)) {
    const own = (changedChecks ?? []).some((id) => id === group[0]?.of?.split(' ', 1)[0]);
    lines.push(`  ${visible(name)}${own ? ', whose check has changed since' : ''}`);
    for (const { field, then, now: again } of group.slice(0, MOST_TOLD))
      lines.push(`    ${visible(field)}: ${shown(then)}, now ${shown(again)}`);
    if (group.length > MOST_TOLD) lines.push(`    and ${plural(group.length - MOST_TOLD, 'field')} more`);
  }
  const lacking = missing.map(({ request, check }) =>
    check === null ? request : `${request}, for ${check}`,
  );
  for (const request of new Set(lacking)) lines.push(`  the evidence holds no answer to ${visible(request)}`);
  return `${lines.join('\n')}\n${own}`;
}

function changeWords(changed: readonly string[] | null): string {
  if (changed === null) return 'The evidence does not tell whether any check has changed since.';
  return changed.length === 0
    ? 'No check has changed since.'
    : `Checks that have changed since: ${changed.map(visible).join(', ')}.`;
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
