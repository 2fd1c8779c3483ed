import type { Suite } from '../core/results.ts';
import { proxyEnvironment } from '../http/proxy.ts';
import { originsOf } from '../target/make.ts';
import type { Target } from '../target/target.ts';
import { checkConnectivity } from './connectivity-check.ts';
import { type CostEstimate, estimateCost } from './cost-estimate.ts';
import { makeStep, type Step } from './diagnosis-step.ts';
import { checkProvider, type ProviderFacts } from './provider-check.ts';

/** What an examination of a target found. */
export interface Diagnosis {
  readonly target: string;
  readonly authUrl: string;
  readonly baseUrl: string;
  /** Whether nothing stands in the way of a run. */
  readonly ready: boolean;
  readonly steps: readonly Step[];
  /** Records of each list by its name; null where its answer did not tell. */
  readonly records: { readonly [resource: string]: number | null };
  /** Milliseconds by which the provider's clock is ahead of ours; null where no answer told. */
  readonly clockSkewMs: number | null;
  /** What each suite will cost; empty where the provider did not tell enough to foretell it. */
  readonly forecasts: readonly CostEstimate[];
}

/** How a target is examined. */
export interface ExaminationOptions {
  /** Of the runs to come: the forecast holds for that seed. */
  readonly seed: number;
  readonly suites: readonly Suite[];
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | null;
}

/** Clock skew in milliseconds from which on it is worth a word. */
const MAX_CLOCK_SKEW_MS = 5000;

/**
 * Examines a target before a run: the way to it, its clock, the credentials, the lists, and what each suite will cost and
 * leave open. Sends one token request and one call per list. Never throws for anything a provider does.
 */
export async function examine(target: Target, examination: ExaminationOptions): Promise<Diagnosis> {
  const { signal } = examination;
  const env = proxyEnvironment(target, examination.env);
  const now = Date.now();
  const reached = await Promise.all(
    originsOf(target).map((origin) => checkConnectivity(origin, { target, env, now })),
  );
  const steps: Step[] = reached.flat();
  const open = (): boolean => steps.every(({ finding }) => finding !== 'problem');
  const answers = open() ? await checkProvider(target, env, signal) : null;
  steps.push(...(answers?.steps ?? []), ...clockSteps(answers, target));
  const forecasts =
    answers !== null && open() ? await estimateCosts(target, answers, examination, steps) : [];
  return {
    target: target.name,
    authUrl: target.authUrl,
    baseUrl: target.baseUrl,
    ready: open(),
    steps,
    records: Object.fromEntries(
      target.resources.map(({ name }, index) => [name, answers?.records[index] ?? null]),
    ),
    clockSkewMs: answers?.skewMs ?? null,
    forecasts,
  };
}

function clockSteps(answers: ProviderFacts | null, { expiry }: Target): readonly Step[] {
  if (answers === null || answers.latencyMs === null) return [];
  const { skewMs } = answers;
  if (skewMs === null)
    return [
      makeStep('clock', 'warning', 'No answer carries a Date header, so the clocks cannot be compared.'),
    ];
  const seconds = Math.abs(skewMs / 1000);
  if (Math.abs(skewMs) < MAX_CLOCK_SKEW_MS)
    return [
      makeStep('clock', 'ok', `Its clock and ours agree to within ${Math.max(1, Math.ceil(seconds))} s.`),
    ];
  const direction = skewMs > 0 ? 'ahead of' : 'behind';
  const matters =
    seconds > expiry.toleranceSeconds
      ? 'more than expiry.toleranceSeconds allows'
      : 'which the times of tokens will show';
  return [
    makeStep('clock', 'warning', `Its clock is ${Math.round(seconds)} s ${direction} ours, ${matters}.`),
  ];
}

async function estimateCosts(
  target: Target,
  { records, tokens, latencyMs }: ProviderFacts,
  { suites, seed, signal }: ExaminationOptions,
  steps: Step[],
): Promise<readonly CostEstimate[]> {
  const known = records.filter((count) => count !== null);
  if (known.length < records.length || tokens === null) {
    steps.push(
      makeStep(
        'cost',
        'warning',
        'What a run will cost cannot be foretold without the length of every list.',
      ),
    );
    return [];
  }
  const forecasts: CostEstimate[] = [];
  for (const suite of suites)
    forecasts.push(
      await estimateCost({ target, records: known, tokens, suite, seed, latencyMs: latencyMs ?? 0, signal }),
    );
  return forecasts;
}
