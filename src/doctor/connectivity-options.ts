import type { Target } from '../target/target.ts';

/** What reaching an origin needs: whom to trust, how long to wait, and where proxies are read from. */
export interface ConnectivityOptions {
  readonly target: Target;
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds since the epoch, to compare the end of certificates with. */
  readonly now: number;
}
