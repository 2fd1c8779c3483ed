import type { AgentOptions, Agent as HttpAgent } from 'node:http';

const KEEP_ALIVE: AgentOptions = { keepAlive: true, maxFreeSockets: 256 };
const SINGLE: AgentOptions = { keepAlive: true, maxSockets: 1 };

/** Milliseconds without a byte after which idle connections may be what keeps the server from answering. */
const STALL_MS = 1000;
/** The same as a multiple of the slowest first byte so far: a slow server is not stalled. */
const STALL_FACTOR = 4;
/** Milliseconds within which the answer comes if idle connections were the cause. */
const RELIEF_MS = 500;

/** Which connection a request uses. */
export interface ConnectionChoice {
  /** Whether the request has a connection of its own, which is closed after the answer. */
  readonly isNew: boolean;
  /** Whether it uses the one connection that is kept for requests that go one after the other. */
  readonly isSingle: boolean;
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

  constructor(create: (settings: AgentOptions) => HttpAgent) {
    this.#shared = create(KEEP_ALIVE);
    this.#fresh = create({});
    this.#single = create(SINGLE);
  }

  choose({ isNew, isSingle }: ConnectionChoice): HttpAgent {
    if (isNew || !this.#keepsConnections) return this.#fresh;
    return isSingle ? this.#single : this.#shared;
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

  /** Closes connections that have become idle although none is kept. */
  released(): void {
    // Node.js counts a connection as idle one turn after the answer.
    if (!this.#keepsConnections) setImmediate(() => this.closeIdle());
  }

  /** Closes idle connections. Returns whether there were any. */
  closeIdle(): boolean {
    const idle = [this.#shared, this.#single].flatMap(({ freeSockets }) => Object.values(freeSockets).flat());
    for (const socket of idle) socket?.destroy();
    return idle.length > 0;
  }

  /** Closes every connection. */
  destroy(): void {
    for (const agent of [this.#shared, this.#fresh, this.#single]) agent.destroy();
  }
}
