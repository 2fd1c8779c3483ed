import type { Suite } from '../core/results.ts';
import { proxyEnvironment } from '../http/proxy.ts';
import { originsOf } from '../target/make.ts';
import type { Target } from '../target/target.ts';
import { doubledPaths } from '../target/warnings.ts';
import { checkConnectivity, makeStep, type Step } from './connectivity-check.ts';
import { type CostEstimate, estimateCost } from './cost-estimate.ts';
import { checkProvider, type ProviderFacts } from './provider-check.ts';

/** The result of `assay doctor` for one target. */
export interface Examination {
  readonly target: string;
  readonly authUrl: string;
  readonly baseUrl: string;
  /** Whether a run is possible. */
  readonly ready: boolean;
  readonly steps: readonly Step[];
  /** Records of each list by its name; null if unknown. */
  readonly records: { readonly [resource: string]: number | null };
  /** Milliseconds by which the provider's clock is ahead of the local clock; null if unknown. */
  readonly clockSkewMs: number | null;
  /** The cost of each suite; empty if the length of a list is unknown. */
  readonly forecasts: readonly CostEstimate[];
}

interface ExaminationOptions {
  /** Seed of the runs whose cost is estimated. */
  readonly seed: number;
  readonly suites: readonly Suite[];
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | null;
}

/** Clock skew in milliseconds at which a warning is given. */
const MAX_CLOCK_SKEW_MS = 5000;

/**
 * Checks connectivity, TLS, credentials, lists and the clock of a target, and estimates the cost of each suite.
 * Sends one token request per client, another one with `expiredToken`, and one call per list. Never throws because of a
 * provider's answers.
 */
export async function examine(target: Target, options: ExaminationOptions): Promise<Examination> {
  const { signal } = options;
  const env = proxyEnvironment(target, options.env);
  const now = Date.now();
  const reached = await Promise.all(
    originsOf(target).map((origin) => checkConnectivity(origin, { target, env, now })),
  );
  // A warning: a provider may have such a URL, and the list and token steps show whether it works.
  const mistakes = doubledPaths(target).map((sentence) => makeStep('target', 'warning', sentence));
  const steps: Step[] = [...mistakes, ...reached.flat()];
  const open = (): boolean => steps.every(({ finding }) => finding !== 'problem');
  const answers = open() ? await checkProvider(target, env, signal) : null;
  steps.push(...(answers?.steps ?? []), ...clockSteps(answers, target));
  const forecasts = answers !== null && open() ? await estimateCosts(target, answers, options, steps) : [];
  return {
    target: target.name,
    authUrl: target.authUrl,
    baseUrl: target.baseUrl,
    ready: open(),
    steps,
    records: Object.fromEntries(
      target.resources.map(({ name }, index) => [name, answers?.records[index] ?? null]),
    ),
    clockSkewMs: answers?.skew?.provenMs ?? null,
    forecasts,
  };
}

function clockSteps(answers: ProviderFacts | null, { expiry }: Target): readonly Step[] {
  if (answers === null || answers.latencyMs === null) return [];
  const { clockRate, toleranceSeconds } = expiry;
  if (clockRate !== 1)
    return [
      makeStep('clock', 'ok', `The clocks are not compared, because expiry.clockRate is ${clockRate}.`),
    ];
  const { skew } = answers;
  if (skew === null)
    return [makeStep('clock', 'warning', 'No answer has a Date header, so the clock skew is unknown.')];
  const seconds = Math.abs(skew.provenMs / 1000);
  if (Math.abs(skew.provenMs) < MAX_CLOCK_SKEW_MS)
    return [makeStep('clock', 'ok', `The clock skew is at most ${Math.ceil(skew.mostMs / 1000)} s.`)];
  const direction = skew.provenMs > 0 ? 'ahead of' : 'behind';
  const matters =
    seconds > toleranceSeconds
      ? 'more than expiry.toleranceSeconds allows'
      : 'which affects the times of tokens';
  const sentence = `The provider's clock is ${Math.round(seconds)} s ${direction} the local clock, ${matters}.`;
  return [makeStep('clock', 'warning', sentence)];
}

async function estimateCosts(
  target: Target,
  { records, tokens, latencyMs }: ProviderFacts,
  { suites, seed, signal }: ExaminationOptions,
  steps: Step[],
): Promise<readonly CostEstimate[]> {
  const known = records.filter((count) => count !== null);
  if (known.length < records.length || tokens === null) {
    const sentence = 'The cost of a run cannot be estimated: the length of a list is unknown.';
    steps.push(makeStep('cost', 'warning', sentence));
    return [];
  }
  const forecasts: CostEstimate[] = [];
  for (const suite of suites)
    forecasts.push(
      await estimateCost({ target, records: known, tokens, suite, seed, latencyMs: latencyMs ?? 0, signal }),
    );
  return forecasts;
}
