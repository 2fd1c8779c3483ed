import type { Call } from './scenario/scenario.ts';

/** How a request ended: the provider's answer, a rule's answer, a reset or a truncated body. */
type Ending = 'answered' | 'replaced' | 'reset' | 'truncated';

/** One request as the log shows it. Tokens and secrets are masked. */
export interface LogLine {
  readonly number: number;
  /** ISO 8601. */
  readonly at: string;
  readonly call: Call;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Fields of a form-encoded body. */
  readonly form?: Readonly<Record<string, string>>;
  readonly bodyBytes: number;
  /** Null if the connection was reset. */
  readonly status: number | null;
  readonly answerBytes: number;
  readonly ending: Ending;
  readonly rules: readonly string[];
  readonly defects: readonly string[];
  readonly durationMs: number;
}
