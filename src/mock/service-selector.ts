import { problem } from './conforming/gate.ts';
import { conformingSteps } from './conforming/index.ts';
import { findDefect } from './defects/index.ts';
import type { Answer, ReceivedRequest, Service, Steps } from './pipeline.ts';
import { createRuleEngine, type RuleEffects, type RuleEngine } from './scenario/rule-engine.ts';
import type { Behaviour, Call, ReplacementAnswer } from './scenario/scenario.ts';
import { findVariant } from './variants/index.ts';

/** The effects of the rules on one request, and the provider that answers it. */
export interface SelectedService {
  readonly effects: RuleEffects;
  readonly service: Service;
}

/**
 * Selects the provider with the defects that are active for a request. Defects keep their state until the selector
 * is replaced.
 */
interface ServiceSelector {
  readonly select: (request: ReceivedRequest, call: Call, elapsedSeconds: number) => SelectedService;
  readonly counts: RuleEngine['counts'];
}

/** Creates the selector.
 *
 * @param base the provider; the variant and the active defects change its steps
 * @throws RangeError for an unknown defect or variant
 */
export function createServiceSelector(
  base: Omit<Service, 'steps'>,
  behaviour: Behaviour,
  variant: string | undefined,
): ServiceSelector {
  const always = behaviour.defects ?? [];
  const serviceFor = (defects: readonly string[]): Service => ({
    ...base,
    steps: stepsFor(defects, variant),
  });
  const main = serviceFor(always);
  const others = new Map<string, Service>();
  const rules = createRuleEngine(behaviour, base.seed);
  return {
    select: (request, call, elapsedSeconds) => {
      const effects = rules.evaluate(request, call, elapsedSeconds);
      const { defects } = effects;
      if (defects === always || defects.length === always.length) return { effects, service: main };
      const key = defects.join(' ');
      const service = others.get(key) ?? serviceFor(defects);
      others.set(key, service);
      return { effects, service };
    },
    counts: rules.counts,
  };
}

/** The steps, changed by the variant first and then by the defects in their order. */
function stepsFor(defects: readonly string[], variant: string | undefined): Steps {
  const changes = [...(variant === undefined ? [] : [findVariant(variant)]), ...defects.map(findDefect)];
  return changes.reduce((steps, change) => change.apply(steps), conformingSteps);
}

/** The answer that a rule gives in place of the provider's own. */
export function replacementAnswer({ status, retryAfterSeconds, body }: ReplacementAnswer): Answer {
  const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  if (body === undefined) return problem(status, `the scenario answers ${status}`, headers);
  const type = /^\s*[[{]/u.test(body) ? 'application/json' : 'text/plain; charset=utf-8';
  return { status, headers: { 'Content-Type': type, ...headers }, body };
}
