import type { RequirementResult, Results, TargetResult, Traffic } from '../core/results.ts';
import type { Outcome } from '../core/verdict.ts';
import { withCommas } from '../core/with-commas.ts';
import { isOpenFailure, isWaived } from './digest.ts';
import { visible } from './safe-text.ts';

/** What an outcome means, in a sentence or two for people who have not read the contract. */
export function outcomeSentence(outcome: Outcome, requirements: readonly RequirementResult[]): string {
  if (outcome === 'non-conformant') return brokenWords(requirements);
  const sentence = OUTCOME_SENTENCES[outcome];
  if (outcome !== 'conformant') return sentence;
  const waived = requirements.filter(isWaived).length;
  const skipped = requirements.filter((one) => one.verdict === 'skipped').length;
  const but = waived > 0 ? `, but for ${plural(waived, 'failure')} that a waiver covers` : '';
  const all = plural(requirements.length, 'requirement');
  const left = skipped === 0 ? '' : `; ${skipped} of ${all} ${skipped === 1 ? 'was' : 'were'} skipped`;
  return `${sentence.slice(0, -1)}${but}${left}.`;
}

const OUTCOME_SENTENCES = {
  conformant: 'Everything that was judged keeps the specification.',
  inconclusive: 'Nothing was found broken, but not everything could be judged.',
  error: 'The run could not be carried out in full, so nothing is said about conformance.',
} as const;

function brokenWords(requirements: readonly RequirementResult[]): string {
  const broken = requirements.filter(isOpenFailure).length;
  const unjudged = requirements.filter(({ verdict }) => verdict === 'inconclusive');
  const proof = `${plural(broken, 'requirement')} ${broken === 1 ? 'is' : 'are'} broken; the proof is below.`;
  if (unjudged.length === 0) return proof;
  const because = unjudged.every(({ reason }) => followedFrom(reason) !== null)
    ? ` because of ${broken === 1 ? 'it' : 'them'}`
    : '';
  return `${proof} ${unjudged.length} could not be judged${because}.`;
}

/** The requirement whose failure keeps another from being judged; null where the reason is another one. */
export function followedFrom(reason: string | null): string | null {
  return /^follows from ([^\s:]+):/u.exec(reason ?? '')?.[1] ?? null;
}

/** `1 request`, `1,234 requests`; the plural is the noun with an s unless told. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${withCommas(count)} ${count === 1 ? noun : many}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function enumeration(words: readonly (string | number)[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** Bytes as people read them: `812 B`, `1.2 MB` (powers of 1,000). */
export function byteWords(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return unit === 0 ? `${bytes} B` : `${value.toFixed(1)} ${units[unit]}`;
}

/** One line on what a run cost a provider. */
export function trafficWords(traffic: Traffic): string {
  const repeated = withCommas(traffic.retries);
  const retries = traffic.retries > 0 ? ` (${repeated} of them repeated)` : '';
  const { p50, p95, max } = traffic.latencyMs;
  const sent = `${plural(traffic.requests, 'request')}${retries}`;
  // Nothing was answered: there is neither volume nor latency to tell of.
  if (max === 0) return sent;
  const latency = `answers in ${milliseconds(p50)} (median), ${milliseconds(p95)} (95 %), ${milliseconds(max)} (slowest)`;
  return `${sent}, ${byteWords(traffic.bytesReceived)} received, ${latency}`;
}

/** `1,234 printers` for every resource of a target; names of resources are the user's. */
export function recordWords(target: TargetResult): string {
  const words = Object.entries(target.records).map(([resource, records]) =>
    records === null ? `${visible(resource)} not counted` : `${withCommas(records)} ${visible(resource)}`,
  );
  return words.length === 0 ? 'no list read' : words.join(', ');
}

/** Names of the shell variables that the curl lines of a run read, sorted. */
export function shellVariables(results: Results): readonly string[] {
  const names = new Set<string>();
  for (const target of results.targets) {
    for (const result of target.requirements) {
      for (const violation of result.violations) {
        for (const [, name] of violation.curl.matchAll(/\$\{?([A-Z][A-Z0-9_]*)/gu)) if (name) names.add(name);
      }
    }
  }
  return [...names].toSorted((left, right) => left.localeCompare(right, 'en'));
}

/** Milliseconds as people read them: `0.4 ms`, `31 ms`, `2.5 s`. */
export function milliseconds(value: number): string {
  if (value >= 1000) return `${(value / 1000).toFixed(1)} s`;
  return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} ms`;
}
