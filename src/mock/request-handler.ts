import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestLog } from './control/log.ts';
import { answerReserved, isReserved, type MockController } from './control/routes.ts';
import type { Control } from './options.ts';
import type { Service } from './pipeline.ts';
import { answerRequest, callOf, parseRequest, readBody } from './request-response.ts';
import type { Behaviour } from './scenario/scenario.ts';
import { createServiceSelector } from './service-selector.ts';

/** Answers the requests of a started provider. */
export interface RequestHandler {
  /** Answers one request. Rejects if the connection is lost. */
  readonly handle: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Requests received since the start or the last reset. */
  readonly requests: () => number;
}

const noBody = Buffer.alloc(0);

/** Creates the request handler. The scenario's clock and counts start now. */
export function createRequestHandler(
  base: Omit<Service, 'steps'>,
  opening: Behaviour,
  { variant, control }: { readonly variant: string | undefined; readonly control: Control | undefined },
): RequestHandler {
  const startedAt = new Date().toISOString();
  const log = control === undefined ? undefined : requestLog(control.onLine);
  let behaviour = opening;
  let stage = createServiceSelector(base, behaviour, variant);
  let since = base.now();
  let requests = 0;
  const begin = (next: Behaviour): void => {
    stage = createServiceSelector(base, next, variant);
    behaviour = next;
    since = base.now();
    requests = 0;
    log?.clear();
  };
  const elapsedSeconds = (): number => (base.now() - since) / 1000;
  const controlled: MockController = {
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
        return answerReserved(incoming, await readBody(incoming), response, controlled);
      }
      requests += 1;
      const number = requests;
      const body = await readBody(incoming);
      const request = parseRequest(incoming, body ?? noBody, number);
      const call = callOf(request, base);
      const scene = stage.select(request, call, elapsedSeconds());
      const entry = log === undefined ? undefined : { call, at: Date.now(), to: log };
      await answerRequest(request, body === undefined, scene, response, entry);
    },
    requests: () => requests,
  };
}
