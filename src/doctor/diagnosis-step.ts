/** The result of one check: `problem` prevents a run. */
export type StepStatus = 'ok' | 'warning' | 'problem';

type StepName =
  | 'target'
  | 'proxy'
  | 'dns'
  | 'tcp'
  | 'tls'
  | 'token'
  | 'list'
  | 'clock'
  | 'requirements'
  | 'cost';

/** One check with its result. */
export interface Step {
  readonly step: StepName;
  readonly finding: StepStatus;
  readonly sentence: string;
}

export function makeStep(name: StepName, finding: StepStatus, sentence: string): Step {
  return { step: name, finding, sentence };
}

/** The text with an initial capital, unless it starts with a URL. */
export function capitalised(text: string): string {
  return /^https?:/u.test(text) ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** A duration: `12 ms`. */
export function formatMs(time: number): string {
  return time < 1 ? 'less than 1 ms' : `${Math.round(time)} ms`;
}
