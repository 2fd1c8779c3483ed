import type { Socket } from 'node:net';
import type { Behaviour } from './front.ts';

/** One misbehaving server. */
export interface Hostile {
  readonly id: string;
  /** What it does, as a sentence without a full stop. */
  readonly does: string;
  readonly how: Behaviour;
  /** What it does to a connection before anything is asked. */
  readonly greeting?: (socket: Socket) => void;
  /** Whether answers that never come are its point: then Assay waits for less long. */
  readonly stalls?: true;
  /** Whether it wants memory: then it is also judged in a process whose memory is measured; or only there. */
  readonly bomb?: true | 'only';
}
