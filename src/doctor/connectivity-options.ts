import type { Target } from '../target/target.ts';

/** Options of the connectivity checks. */
export interface ConnectivityOptions {
  readonly target: Target;
  readonly env: NodeJS.ProcessEnv;
  /** Current time in milliseconds since the epoch, compared with the end of certificates. */
  readonly now: number;
}
