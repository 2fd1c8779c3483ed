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
