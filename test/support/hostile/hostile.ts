import type { Socket } from 'node:net';
import type { Behaviour } from './altering-proxy.ts';

/** A misbehaving server. */
export interface Hostile {
  /** Its behaviour, as a sentence without a full stop, which identifies it. */
  readonly does: string;
  readonly how: Behaviour;
  /** Its action on a connection before any request. */
  readonly greeting?: (socket: Socket) => void;
  /** Whether it withholds answers: then Assay uses shorter timeouts. */
  readonly stalls?: true;
  /** Whether each answer shows its misbehaviour, whatever was asked before. */
  readonly steady?: true;
  /**
   * That it attacks memory: the megabytes that a run may receive from it. It is tested in a process of its own, whose memory is
   * measured.
   */
  readonly bomb?: number;
}

/** Servers by what they do, and the traits of all of them. */
export function servers(
  rows: { readonly [does: string]: Behaviour | Omit<Hostile, 'does'> },
  traits: Pick<Hostile, 'stalls' | 'steady' | 'bomb'> = {},
): readonly Hostile[] {
  return Object.entries(rows).map(([does, row]) => ({
    does,
    ...(typeof row === 'function' ? { how: row } : row),
    ...traits,
  }));
}
