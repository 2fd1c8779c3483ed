import { resolveCauses } from '../core/cause-sentences.ts';
import type { ObservationResult, RequirementResult, TargetResult } from '../core/results.ts';
import { Redactor } from '../evidence/redactor.ts';
import type { Check } from '../judge/check.ts';
import type { Target } from '../target/target.ts';
import { OBSERVATIONS, type ReplayedOptions } from './evidence-setting.ts';
import { mayObserve, observeAll } from './observations.ts';
import type { ReplayClient } from './replay-client.ts';
import { judgeAlone, judgeSuspected, plan, skippedResult } from './schedule.ts';
import { Session } from './session.ts';
import { targetResult } from './target-result.ts';

/** Replays a target as Playwright Test ran it: one check after the other, in the recorded order. */
export async function judgeSequentially(
  target: Target,
  then: TargetResult,
  options: ReplayedOptions,
  { client, checks }: { readonly client: ReplayClient; readonly checks: readonly Check[] },
): Promise<TargetResult> {
  const redactor = new Redactor(options.tokensBefore);
  client.useRedactor(redactor);
  const { connect, clock } = client;
  const session = new Session({
    target,
    options,
    suite: checks,
    redactor,
    signal: null,
    environment: {},
    connect,
    clock,
  });
  const entries = plan(checks, target.resources).map(({ check, resource }) => {
    const bench = session.benches[resource];
    if (bench === undefined) throw new Error('a target has at least one resource');
    const { name } = bench.list.resource;
    return { check, bench, name, key: keyOf(check.requirement.id, check.scope === 'target' ? null : name) };
  });
  const results = new Map<string, RequirementResult>();
  let observations: readonly ObservationResult[] = [];
  for (const [id, list] of options.inTurn ?? []) {
    const entry = entries.find(({ key }) => key === keyOf(id, list));
    if (id === OBSERVATIONS) observations = await observeAll(session, mayObserve(options));
    else if (entry !== undefined) results.set(entry.key, await judgeAlone(entry.check, entry.bench, options));
  }
  const known = new Map(then.requirements.map((one) => [keyOf(one.id, one.resource), one]));
  const requirements = entries.map(({ check, name, key }) => {
    const result = results.get(key);
    if (result !== undefined) return result;
    // A check without an entry in the recorded order was not judged, or was judged after all others.
    const before = known.get(key);
    const isUnjudged = before?.cause?.kind === 'unselected' || before?.cause?.kind === 'interrupted';
    return before !== undefined && isUnjudged ? before : skippedResult(check, name, '');
  });
  const judged = await judgeSuspected(requirements, checks, session.benches, options);
  const result = targetResult(session, {
    records: await session.records(),
    requirements: resolveCauses(judged),
    observations,
  });
  await session.close();
  return result;
}

function keyOf(id: string, list: string | null): string {
  return JSON.stringify([id, list]);
}
