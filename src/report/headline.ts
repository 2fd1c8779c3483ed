import { followedFrom } from '../core/causes.ts';
import type { Results } from '../core/results.ts';
import { withCommas } from '../core/with-commas.ts';
import { isOverview } from './attention.ts';
import { type Finding, findingsOf, isOpenFailure, isWaived } from './digest.ts';
import { visible } from './safe-text.ts';
import { coveredWords, enumeration, plural } from './words.ts';

/** Requirements that are named as the cause of what could not be judged; of more, none is. */
const CAUSES = 3;

/** What a run came to, in a sentence or two for people who have not read the contract. */
export function headline(results: Results): string {
  const failed = findingsOf(results, isOpenFailure);
  const waived = findingsOf(results, isWaived).length;
  const open = findingsOf(results, ({ verdict }) => verdict === 'inconclusive');
  if (results.outcome === 'non-conformant') return brokenWords(results, failed, waived, open);
  if (results.outcome === 'error')
    return 'The run could not be carried out in full, so nothing is said about conformance.';
  if (results.outcome === 'conformant') return conformantWords(results, waived);
  if (waived > 0) {
    const left = open.length === 0 ? 'not everything could be judged' : openWords(results, open);
    return `${plural(waived, 'failure')}, ${waived === 1 ? 'waived' : 'all waived'}; ${left}.`;
  }
  if (findingsOf(results, ({ verdict }) => verdict === 'pass').length === 0) return nothingWords(results);
  return `${signsOf(open)}not everything could be judged.`;
}

/** What was met of requirements that the run leaves out, where others follow from that; that nothing was, otherwise. */
function signsOf(open: readonly Finding[]): string {
  const ids = open.flatMap(({ target, result }) => {
    const cause = followedFrom(result.reason);
    const leftOut = target.requirements.some(({ id, verdict }) => id === cause && verdict === 'skipped');
    return cause !== null && leftOut ? [visible(cause)] : [];
  });
  const met = [...new Set(ids)].sort();
  return met.length === 0
    ? 'Nothing was found broken, but '
    : `What breaks ${enumeration(met)} was met, which this run does not judge; `;
}

function conformantWords(results: Results, waived: number): string {
  const all = findingsOf(results, () => true).length;
  const skipped = findingsOf(results, ({ verdict }) => verdict === 'skipped').length;
  const but = waived > 0 ? `, but for ${coveredWords(waived)}` : '';
  const left =
    skipped === 0
      ? ''
      : `; ${skipped} of ${plural(all, 'requirement')} ${skipped === 1 ? 'was' : 'were'} skipped`;
  return `Everything that was judged keeps the specification${but}${left}.`;
}

function nothingWords(results: Results): string {
  const all = findingsOf(results, () => true);
  if (all.length === 0) return 'Nothing was judged.';
  const skipped = all.every(({ result }) => result.verdict === 'skipped');
  return skipped
    ? `Nothing was judged: ${all.length === 1 ? 'the only requirement was' : `all ${plural(all.length, 'requirement')} were`} skipped.`
    : 'Nothing was found broken, for nothing could be judged.';
}

// An overview proves the failures of a few targets, and says itself of which.
function brokenWords(
  results: Results,
  failed: readonly Finding[],
  waived: number,
  open: readonly Finding[],
): string {
  const ids = new Set(failed.map(({ result }) => result.id)).size;
  const targets = new Set(failed.map(({ target }) => target)).size;
  const all = results.targets.length;
  const where = all === 1 ? '' : ` on ${targets} of ${plural(all, 'target')}`;
  const more = waived === 0 ? '' : `, ${withCommas(waived)} more waived`;
  const alone =
    waived === 0 ? '' : ` (${plural(waived, 'more failure')} ${waived === 1 ? 'is' : 'are'} waived)`;
  const aside = failed.length === ids ? alone : ` (${plural(failed.length, 'failure')}${more})`;
  const proof = isOverview(results) ? '' : '; the proof is below';
  const first = `${plural(ids, 'requirement')} ${ids === 1 ? 'is' : 'are'} broken${where}${aside}${proof}.`;
  return open.length === 0 ? first : `${first} ${openWords(results, open)}${blame(results, failed, open)}.`;
}

// Of several targets or lists a requirement has several verdicts.
function openWords(results: Results, open: readonly Finding[]): string {
  const lists = new Set(open.map(({ result }) => result.resource).filter((list) => list !== null));
  return results.targets.length === 1 && lists.size < 2
    ? `${plural(open.length, 'requirement')} could not be judged`
    : `${plural(open.length, 'verdict')} could not be given`;
}

/** Which failures keep all of them from being judged; empty where any has another reason. */
function blame(results: Results, failed: readonly Finding[], open: readonly Finding[]): string {
  const causes = new Map<string, boolean>();
  for (const { target, result } of open) {
    const cause = followedFrom(result.reason);
    const failures = target.requirements.filter(({ id, verdict }) => id === cause && verdict === 'fail');
    if (cause === null || failures.length === 0) return '';
    causes.set(cause, (causes.get(cause) ?? true) && failures.every(isWaived));
  }
  const broken = new Set(failed.map(({ result }) => result.id));
  const all = [...causes.keys()];
  if (results.targets.length === 1 && all.length === broken.size && all.every((id) => broken.has(id)))
    return ` because of ${all.length === 1 ? 'it' : 'them'}`;
  if (all.length > CAUSES) return '';
  const named = [...causes].map(([id, covered]) => `${visible(id)}${covered ? ', which is waived' : ''}`);
  return ` because of ${enumeration(named)}`;
}
