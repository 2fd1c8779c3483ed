import type { AgentOptions, Agent as HttpAgent } from 'node:http';
import type { Socket } from 'node:net';

const KEEP_ALIVE: AgentOptions = { keepAlive: true, maxFreeSockets: 256 };
const SINGLE: AgentOptions = { keepAlive: true, maxSockets: 1 };

/** Milliseconds without a byte after which idle connections may be what keeps the server from answering. */
const STALL_MS = 1000;
/** Multiple of the slowest first byte so far that this time must also reach: a slow server is not stalled. */
const STALL_FACTOR = 4;
/** Milliseconds within which the answer comes if idle connections were the cause. */
const RELIEF_MS = 500;
/** Milliseconds after which a server has noticed that a connection was closed. */
const NOTICE_MS = 200;

interface ConnectionChoice {
  /** Whether the request has a connection of its own, which is closed after the answer. */
  readonly isNew: boolean;
  /** Whether it uses the one connection that is kept for requests that go one after the other. */
  readonly isSingle: boolean;
  /** Connections that may be open at most, if idle ones can be closed; null for no limit. */
  readonly maxOpen: number | null;
}

/**
 * The connections to one origin. They are kept for further requests, unless the server serves so few at a time that an
 * idle one keeps it from others: such a server waits for the next request of a connection that it serves.
 */
export class OriginAgents {
  readonly #shared: HttpAgent;
  readonly #fresh: HttpAgent;
  readonly #single: HttpAgent;
  #keepsConnections: boolean = true;
  #slowestFirstByteMs = 0;
  /** Open connections that have given an answer. */
  readonly #serving = new Set<Socket>();
  /** Most of them at a time. */
  #mostServing = 0;
  #closedAt = Number.NEGATIVE_INFINITY;

  constructor(create: (settings: AgentOptions) => HttpAgent) {
    this.#shared = create(KEEP_ALIVE);
    this.#fresh = create({});
    this.#single = create(SINGLE);
  }

  choose({ isNew, isSingle, maxOpen }: ConnectionChoice): HttpAgent {
    const kept = isSingle ? this.#single : this.#shared;
    const agent = isNew || !this.#keepsConnections ? this.#fresh : kept;
    if (maxOpen !== null && idleOf(agent).length === 0 && this.#open >= maxOpen) this.closeIdle();
    return agent;
  }

  /**
   * Closes idle connections while a request waits for its first byte much longer than those before it. If the answer
   * comes then, connections are no longer kept.
   *
   * @returns ends the watch; call it when the first byte arrives, or when none will
   */
  watchStall(): (hasAnswered: boolean) => void {
    const startedAt = performance.now();
    let closedAt: number | null = null;
    const timer = setInterval(() => {
      const waitedMs = performance.now() - startedAt;
      if (waitedMs > STALL_FACTOR * this.#slowestFirstByteMs && this.closeIdle())
        closedAt = performance.now();
    }, STALL_MS);
    return (hasAnswered) => {
      clearInterval(timer);
      if (!hasAnswered) return;
      const now = performance.now();
      if (closedAt === null) this.#slowestFirstByteMs = Math.max(this.#slowestFirstByteMs, now - startedAt);
      else if (now - closedAt < RELIEF_MS) this.#keepsConnections = false;
    };
  }

  /** Records that a connection has given an answer. */
  served(socket: Socket): void {
    if (!this.#serving.has(socket)) {
      this.#serving.add(socket);
      socket.once('close', () => {
        this.#serving.delete(socket);
        this.#closedAt = performance.now();
      });
    }
    this.#mostServing = Math.max(this.#mostServing, this.#serving.size);
    // Node.js counts a connection as idle one turn after the answer.
    if (!this.#keepsConnections) setImmediate(() => this.closeIdle());
  }

  /**
   * Whether a limit of connections may be why a new one was not served: others are open, or were just closed, and never
   * so many were served at a time.
   */
  isCrowded(): boolean {
    const others = this.#open - 1 + (performance.now() - this.#closedAt < NOTICE_MS ? 1 : 0);
    return others > 0 && others + 1 > this.#mostServing;
  }

  /** Closes idle connections. Returns whether there were any. */
  closeIdle(): boolean {
    const idle = [this.#shared, this.#single].flatMap(idleOf);
    for (const socket of idle) socket.destroy();
    return idle.length > 0;
  }

  destroy(): void {
    for (const agent of this.#all) agent.destroy();
  }

  get #all(): readonly HttpAgent[] {
    return [this.#shared, this.#fresh, this.#single];
  }

  /** Connections that are open or being opened. */
  get #open(): number {
    return this.#all.flatMap((agent) => [...Object.values(agent.sockets).flat(), ...idleOf(agent)]).length;
  }
}

function idleOf({ freeSockets }: HttpAgent): readonly Socket[] {
  return Object.values(freeSockets).flatMap((sockets) => sockets ?? []);
}
