/** The result of one check: `problem` prevents a run. */
export type Finding = 'ok' | 'warning' | 'problem';

/** What is checked. */
export type StepName =
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
  readonly finding: Finding;
  /** One sentence. */
  readonly sentence: string;
}

/** Creates a step. */
export function makeStep(name: StepName, finding: Finding, sentence: string): Step {
  return { step: name, finding, sentence };
}

/** The host name of a URL, without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/gu, '');
}

/** The port of a URL, or the default port of its scheme. */
export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** The text with an initial capital, unless it starts with a URL. */
export function capitalised(text: string): string {
  return /^https?:/u.test(text) ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** A duration: `12 ms`. */
export function formatMs(time: number): string {
  return time < 1 ? 'less than 1 ms' : `${Math.round(time)} ms`;
}
