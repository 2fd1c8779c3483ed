import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OriginAgents } from '../../../src/http/origin-agents.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Agents of an origin, with one idle connection. */
function agentsWithIdle() {
  const destroy = vi.fn();
  const agents = new OriginAgents((settings) => {
    const agent = new Agent(settings);
    if (settings.maxSockets !== 1 && settings.keepAlive === true)
      Object.assign(agent.freeSockets, { 'origin:': [{ destroy } as unknown as Socket] });
    return agent;
  });
  return { agents, destroy };
}

const SHARED = { isNew: false, isSingle: false, maxOpen: null };
const NEW = { ...SHARED, isNew: true };

test('connections are no longer kept once a request was answered because idle ones were closed', () => {
  const { agents, destroy } = agentsWithIdle();
  expect(agents.choose(SHARED)).not.toBe(agents.choose(NEW));
  const end = agents.watchStall();
  vi.advanceTimersByTime(1100);
  expect(destroy).toHaveBeenCalled();
  end(true);
  expect(agents.choose(SHARED)).toBe(agents.choose(NEW));
});

test('connections are kept if the answer came much later than idle ones were closed', () => {
  const { agents } = agentsWithIdle();
  const end = agents.watchStall();
  vi.advanceTimersByTime(1900);
  end(true);
  expect(agents.choose(SHARED)).not.toBe(agents.choose(NEW));
});

test('idle connections to a server that is always slow stay open', () => {
  const { agents, destroy } = agentsWithIdle();
  const first = agents.watchStall();
  vi.advanceTimersByTime(900);
  first(true);
  const second = agents.watchStall();
  vi.advanceTimersByTime(3500);
  second(true);
  expect(destroy).not.toHaveBeenCalled();
});

test('idle connections are closed before a new one exceeds the limit', () => {
  const { agents, destroy } = agentsWithIdle();
  agents.choose({ ...NEW, maxOpen: 2 });
  expect(destroy).not.toHaveBeenCalled();
  agents.choose({ ...SHARED, maxOpen: 1 });
  expect(destroy).not.toHaveBeenCalled();
  agents.choose({ ...NEW, maxOpen: 1 });
  expect(destroy).toHaveBeenCalled();
});
