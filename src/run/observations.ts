import { observers } from '../../specs/observations/index.ts';
import type { ObservationResult } from '../core/results.ts';
import { makeObservation, type RecordedTraffic, recordedTraffic } from '../judge/observation.ts';
import { MAX_FURTHER_REQUESTS } from '../judge/probes/list-variations.ts';
import type { Target } from '../target/target.ts';
import type { ConformOptions } from './conform-options.ts';
import type { Session } from './session.ts';

/**
 * Makes all observations. Observers that send requests run first, so that the others also read those
 * exchanges.
 *
 * @param maySend whether observers may send requests
 */
export async function observeAll(session: Session, maySend: boolean): Promise<readonly ObservationResult[]> {
  const entries = observers.flatMap((observer) =>
    session.inputs
      .slice(0, observer.scope === 'list' ? undefined : 1)
      .map((input, resource) => ({ observer, input, resource })),
  );
  const results = new Map<(typeof entries)[number], ObservationResult>();
  for (const sends of [true, false]) {
    await session.idle();
    const exchanges = session.exchanges();
    const evidence = session.inputs.map(({ list }) => recordedTraffic(exchanges, list.path));
    const group = entries.filter(({ observer }) => observer.sendsRequests === sends);
    await Promise.all(
      group.map(async (entry) => {
        const { observer, input, resource } = entry;
        results.set(
          entry,
          await makeObservation(observer, input, evidence[resource] as RecordedTraffic, maySend),
        );
      }),
    );
  }
  return entries.map((entry) => results.get(entry)).filter((result) => result !== undefined);
}

/** Whether observations of a run may send requests: not in the smoke suite, and not with --only. */
export function mayObserve(options: Pick<ConformOptions, 'suite' | 'only'>): boolean {
  return options.suite !== 'smoke' && options.only.length === 0;
}

/** Maximum number of extra requests of observations if the provider refuses calls that combine variations. */
export function maxFurtherRequests(
  { resources }: Target,
  options: Pick<ConformOptions, 'suite' | 'only'>,
): number {
  return mayObserve(options) ? resources.length * MAX_FURTHER_REQUESTS : 0;
}
