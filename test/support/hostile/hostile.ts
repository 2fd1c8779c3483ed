import type { Socket } from 'node:net';
import type { Behaviour } from './front.ts';

/** A misbehaving server. */
export interface Hostile {
  readonly id: string;
  /** Its behaviour, as a sentence without a full stop. */
  readonly does: string;
  readonly how: Behaviour;
  /** Its action on a connection before any request. */
  readonly greeting?: (socket: Socket) => void;
  /** Whether it withholds answers: then Assay uses shorter timeouts. */
  readonly stalls?: true;
  /** Whether it attacks memory: then it is tested in a process of its own, whose memory is measured. */
  readonly bomb?: true;
}
