import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Control } from './control/control.ts';
import { requestLog } from './control/log.ts';
import { answerReserved, type Controlled, isReserved } from './control/routes.ts';
import type { Service } from './pipeline.ts';
import { bodyOf, callOf, perform, received } from './request-response.ts';
import type { Behaviour } from './scenario/scenario.ts';
import { setStage } from './service-selector.ts';

/** The provider at work. */
export interface Play {
  /** Answers one request. Rejects where its connection is lost in the middle. */
  readonly handle: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Requests received since the start or the last reset. */
  readonly requests: () => number;
}

const noBody = Buffer.alloc(0);

/** Begins to answer. The clock and all counts of the scenario start now. */
export function play(
  base: Omit<Service, 'steps'>,
  opening: Behaviour,
  { variant, control }: { readonly variant: string | undefined; readonly control: Control | undefined },
): Play {
  const startedAt = new Date().toISOString();
  const log = control === undefined ? undefined : requestLog(control.onLine);
  let behaviour = opening;
  let stage = setStage(base, behaviour, variant);
  let since = base.now();
  let requests = 0;
  const begin = (next: Behaviour): void => {
    stage = setStage(base, next, variant);
    behaviour = next;
    since = base.now();
    requests = 0;
    log?.clear();
  };
  const elapsedSeconds = (): number => (base.now() - since) / 1000;
  const controlled: Controlled = {
    state: () => ({
      startedAt,
      clock: new Date(base.now()).toISOString(),
      elapsedSeconds: elapsedSeconds(),
      requests,
      ...log?.counts(),
      defects: behaviour.defects ?? [],
      rules: stage.counts(),
    }),
    last: (most) => log?.last(most) ?? [],
    reset: () => begin(behaviour),
    scenario: () => behaviour,
    replace: begin,
    read: control?.readScenario,
  };
  return {
    handle: async (incoming, response) => {
      if (log !== undefined && isReserved(incoming)) {
        return answerReserved(incoming, await bodyOf(incoming), response, controlled);
      }
      requests += 1;
      const number = requests;
      const body = await bodyOf(incoming);
      const request = received(incoming, body ?? noBody, number);
      const call = callOf(request, base);
      const scene = stage.scene(request, call, elapsedSeconds());
      const entry = log === undefined ? undefined : { call, at: Date.now(), to: log };
      await perform(request, body === undefined, scene, response, entry);
    },
    requests: () => requests,
  };
}
