import type { ReceivedRequest } from '../pipeline.ts';
import { mix } from '../records.ts';
import {
  type Behaviour,
  type Call,
  type Latency,
  PERCENTILES,
  type Percentile,
  type Range,
  type ReplacementAnswer,
  type Rule,
  type RuleCondition,
} from './scenario.ts';

/** What the rules do to one request. */
export interface RuleEffects {
  /** Names of the rules that apply. */
  readonly rules: readonly string[];
  /** The active defects, in the order of the file. */
  readonly defects: readonly string[];
  readonly delayMs: number;
  readonly answer: ReplacementAnswer | undefined;
  readonly reset: boolean;
  readonly truncate: number | undefined;
}

interface RuleState {
  readonly rule: Rule;
  readonly name: string;
  readonly header: readonly (readonly [name: string, value: string])[];
  /** Requests for which call, header and elapsedSeconds held, since the start or the last reset. */
  matched: number;
  applied: number;
}

export type RuleEngine = ReturnType<typeof createRuleEngine>;

/** Creates a rule engine with all counts 0. The same seed and order of requests give the same effects. */
export function createRuleEngine(behaviour: Behaviour, seed: number) {
  const always = behaviour.defects ?? [];
  const rules = (behaviour.rules ?? []).map((rule, index): RuleState => {
    const header = Object.entries(rule.when?.header ?? {}).map(
      ([name, value]) => [name.toLowerCase(), value] as const,
    );
    return { rule, name: rule.name ?? `rule ${index + 1}`, header, matched: 0, applied: 0 };
  });
  let drawn = 0;
  const draw = (): number => {
    drawn += 1;
    return mix(mix(seed ^ 0x2545f491) ^ drawn) / 0x1_0000_0000;
  };
  return {
    /** The effects of all rules on a request. @param elapsedSeconds as for the conditions of rules */
    evaluate: (request: ReceivedRequest, call: Call, elapsedSeconds: number): RuleEffects => {
      const applying = rules.filter((state) => applies(state, request, call, elapsedSeconds));
      const last = <Key extends keyof Rule>(key: Key): Rule[Key] | undefined =>
        applying.findLast(({ rule }) => rule[key] !== undefined)?.rule[key];
      const latency = last('latency') ?? behaviour.latency;
      const afterReset = applying.slice(applying.findLastIndex(({ rule }) => rule.reset !== undefined) + 1);
      const isAnswered = afterReset.some(({ rule }) => (rule.answer ?? rule.truncate) !== undefined);
      return {
        rules: applying.map(({ name }) => name),
        defects: [...new Set([...always, ...applying.flatMap(({ rule }) => rule.defects ?? [])])],
        delayMs: latency === undefined ? 0 : delayOf(latency, draw()),
        answer: last('answer'),
        reset: last('reset') === true && !isAnswered,
        truncate: last('truncate'),
      };
    },
    /** What /__assay/state shows of the rules. */
    counts: () => rules.map(({ name, matched, applied }) => ({ name, met: matched, applied })),
  };
}

function applies(state: RuleState, request: ReceivedRequest, call: Call, elapsedSeconds: number): boolean {
  const when: RuleCondition = state.rule.when ?? {};
  if (when.call !== undefined && when.call !== call) return false;
  if (!isWithin(elapsedSeconds, when.elapsedSeconds)) return false;
  if (!state.header.every(([name, value]) => hasHeader(request, name, value))) return false;
  state.matched += 1;
  if (!isWithin(state.matched, when.requests)) return false;
  if (when.every !== undefined && state.matched % when.every !== 0) return false;
  state.applied += 1;
  return true;
}

function hasHeader(request: ReceivedRequest, name: string, value: string): boolean {
  const given = request.headers[name];
  if (given === undefined) return false;
  return value === '*' || [given].flat().includes(value);
}

function isWithin(value: number, { from = -Infinity, to = Infinity }: Range = {}): boolean {
  return value >= from && value <= to;
}

const SHARES: Readonly<Record<Percentile, number>> = {
  min: 0,
  p50: 0.5,
  p75: 0.75,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
  max: 1,
};

/**
 * The delay of one answer, in milliseconds.
 *
 * @param drawn a random number from 0 to below 1: the percentile of this request
 */
export function delayOf(latency: Latency, drawn: number): number {
  const { fixedMs, uniformMs, percentilesMs } = latency;
  if (uniformMs !== undefined) return uniformMs[0] + (uniformMs[1] - uniformMs[0]) * drawn;
  if (percentilesMs !== undefined) return interpolate(percentilesMs, drawn);
  return fixedMs ?? 0;
}

// Linear interpolation; below the first percentile down to 0, above the last one constant.
function interpolate(named: Readonly<Partial<Record<Percentile, number>>>, drawn: number): number {
  let [left, low] = [0, 0];
  for (const name of PERCENTILES) {
    const value = named[name];
    if (value === undefined) continue;
    const share = SHARES[name];
    if (drawn < share) return low + ((value - low) * (drawn - left)) / (share - left);
    [left, low] = [share, value];
  }
  return low;
}
