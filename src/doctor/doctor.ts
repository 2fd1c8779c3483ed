import type { Suite } from '../core/results.ts';
import { proxyEnvironment } from '../http/proxy.ts';
import { originsOf } from '../target/make.ts';
import type { Target } from '../target/target.ts';
import { reach } from './connectivity-check.ts';
import { type Forecast, foretell } from './cost-estimate.ts';
import { type Step, step } from './diagnosis-step.ts';
import { type Answers, ask } from './provider-check.ts';

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
  readonly forecasts: readonly Forecast[];
}

/** How a target is examined. */
export interface Examination {
  /** Of the runs to come: the forecast holds for that seed. */
  readonly seed: number;
  readonly suites: readonly Suite[];
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | null;
}

/** Clock skew in milliseconds from which on it is worth a word. */
const SKEWED = 5000;

/**
 * Examines a target before a run: the way to it, its clock, the credentials, the lists, and what each suite will cost and
 * leave open. Sends one token request and one call per list. Never throws for anything a provider does.
 */
export async function examine(target: Target, examination: Examination): Promise<Diagnosis> {
  const { signal } = examination;
  const env = proxyEnvironment(target, examination.env);
  const now = Date.now();
  const reached = await Promise.all(originsOf(target).map((origin) => reach(origin, { target, env, now })));
  const steps: Step[] = reached.flat();
  const open = (): boolean => steps.every(({ finding }) => finding !== 'problem');
  const answers = open() ? await ask(target, env, signal) : null;
  steps.push(...(answers?.steps ?? []), ...clockSteps(answers, target));
  const forecasts = answers !== null && open() ? await foretellAll(target, answers, examination, steps) : [];
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

function clockSteps(answers: Answers | null, { expiry }: Target): readonly Step[] {
  if (answers === null || answers.latencyMs === null) return [];
  const { skewMs } = answers;
  if (skewMs === null)
    return [step('clock', 'warning', 'No answer carries a Date header, so the clocks cannot be compared.')];
  const seconds = Math.abs(skewMs / 1000);
  if (Math.abs(skewMs) < SKEWED)
    return [step('clock', 'ok', `Its clock and ours agree to within ${Math.max(1, Math.ceil(seconds))} s.`)];
  const direction = skewMs > 0 ? 'ahead of' : 'behind';
  const matters =
    seconds > expiry.toleranceSeconds
      ? 'more than expiry.toleranceSeconds allows'
      : 'which the times of tokens will show';
  return [step('clock', 'warning', `Its clock is ${Math.round(seconds)} s ${direction} ours, ${matters}.`)];
}

async function foretellAll(
  target: Target,
  { records, tokens, latencyMs }: Answers,
  { suites, seed, signal }: Examination,
  steps: Step[],
): Promise<readonly Forecast[]> {
  const known = records.filter((count) => count !== null);
  if (known.length < records.length || tokens === null) {
    steps.push(
      step('cost', 'warning', 'What a run will cost cannot be foretold without the length of every list.'),
    );
    return [];
  }
  const forecasts: Forecast[] = [];
  for (const suite of suites)
    forecasts.push(
      await foretell({ target, records: known, tokens, suite, seed, latencyMs: latencyMs ?? 0, signal }),
    );
  return forecasts;
}
