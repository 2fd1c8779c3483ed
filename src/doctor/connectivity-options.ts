import type { Target } from '../target/target.ts';

/** Options of the connectivity checks. */
export interface ConnectivityOptions {
  readonly target: Target;
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds since the epoch, to compare the end of certificates with. */
  readonly now: number;
}
