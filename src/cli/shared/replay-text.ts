import { groupBy } from '../../core/maps.ts';
import { packageVersion } from '../../core/package-file.ts';
import type { Json, Results } from '../../core/results.ts';
import { plural, visible } from '../../report/wording/phrases.ts';
import type { Difference } from '../../run/replay/differences.ts';
import type { Replay } from '../../run/replay/replay.ts';

const MAX_LISTED = 5;
const MAX_VALUE_LENGTH = 160;

export function replayText(results: Results, replayed: Replay): string {
  const { targets, differences, missing } = replayed;
  const judged = targets.reduce((sum, { requirements }) => sum + requirements.length, 0);
  const observed = targets.reduce((sum, { observations }) => sum + observations.length, 0);
  const what = `${plural(judged, 'verdict')} and ${plural(observed, 'observation')} of run ${visible(results.run.id)}`;
  const notes = [...buildWords(results, replayed.isSameBuild), ...ownChecksWords(replayed)];
  if (differences.length === 0 && missing.length === 0)
    return [`Replayed from evidence: ${what} are identical, field by field.`, ...notes, ''].join('\n');
  const lines = [`Replayed from evidence: ${what} are not all identical.`];
  for (const [name, group] of groupBy(differences, placeOf)) {
    lines.push(`  ${visible(name)}`);
    for (const { field, then, now: again } of group.slice(0, MAX_LISTED))
      lines.push(`    ${visible(field)}: ${displayValue(then)}, now ${displayValue(again)}`);
    if (group.length > MAX_LISTED) lines.push(`    and ${plural(group.length - MAX_LISTED, 'field')} more`);
  }
  const lacking = missing.map(({ request, check }) =>
    check === null ? request : `${request}, for ${check}`,
  );
  for (const request of new Set(lacking))
    lines.push(`  the evidence contains no answer to ${visible(request)}`);
  return [...lines, ...notes, ''].join('\n');
}

function buildWords({ tool }: Results, isSameBuild: boolean | null): readonly string[] {
  if (isSameBuild === true) return [];
  if (isSameBuild === null)
    return [
      'The evidence does not say which build of Assay made the run. Another build may come to other verdicts.',
    ];
  const versions = `${visible(tool.version)}; this is ${packageVersion()}`;
  return [`The run was made by another build of Assay (${versions}), which may come to other verdicts.`];
}

function ownChecksWords({ leftOut, ownChecks }: Replay): readonly string[] {
  if (leftOut === 0) return [];
  const files = Object.entries(ownChecks).map(
    ([file, digest]) => `  ${visible(file)} (SHA-256 ${visible(digest)})`,
  );
  return [`Not replayed: ${plural(leftOut, 'verdict')} of your own checks.`, ...files];
}

function placeOf({ target, of }: Difference): string {
  return [target ?? 'the run', of].filter((part) => part !== null).join(': ');
}

function displayValue(value: Json | undefined): string {
  const words = value === undefined ? 'nothing' : JSON.stringify(value);
  return visible(words.length > MAX_VALUE_LENGTH ? `${words.slice(0, MAX_VALUE_LENGTH)}…` : words);
}
