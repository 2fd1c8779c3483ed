import { requirements } from '../catalogue/index.ts';
import { followedFrom } from '../core/causes.ts';
import type { Finding, ReasonGroup } from './digest.ts';
import { visible } from './safe-text.ts';
import { enumeration } from './words.ts';

/** What a reader can do about verdicts that were not given; null where nothing is known beyond the reason. */
export function settlingWords({ reason, findings }: ReasonGroup): string | null {
  const verdict = findings[0]?.result.verdict;
  const cause = followedFrom(reason);
  if (cause !== null) return `Mend ${visible(cause)} and run again; what else is wrong can show only then.`;
  if (verdict === 'error')
    return 'A run in which every answer arrives; assay doctor tells whether one would.';
  if (verdict !== 'inconclusive') return null;
  const [, limit] = LIMIT.exec(reason) ?? [];
  if (limit !== undefined) return `Raise ${limit} in the target file and run again.`;
  if (STOPPED.test(reason)) return 'Let the run finish.';
  if (UNAVAILABLE.test(reason)) return 'Run again when the provider is available.';
  return dataWords(reason, findings);
}

// As src/wire, src/provider/put-off.ts and src/judge word them.
const LIMIT = /\((limits\.max[A-Za-z]+)\)/u;
const STOPPED = /\bthe run was stopped\b/u;
const UNAVAILABLE = /\bkept answering (?:429|503)\b/u;
const EMPTY = /^the list is empty\b/u;
const UNTRIED = /^nothing was tried in which a breach would have shown\b/u;

/** What data would do; null where the reason is none about data. */
function dataWords(reason: string, findings: readonly Finding[]): string | null {
  if (EMPTY.test(reason)) return 'A list with records.';
  if (!UNTRIED.test(reason)) return null;
  const needs = new Set(
    findings.flatMap(({ result }) => requirements.find((one) => one.id === result.id)?.needs ?? []),
  );
  if (needs.size > 0) return `A target that offers ${enumeration([...needs])}.`;
  const empty = findings.every(({ target, result }) => target.records[result.resource ?? ''] === 0);
  return empty ? 'A list with records.' : null;
}
