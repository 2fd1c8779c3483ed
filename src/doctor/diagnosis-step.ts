/** What one examination came to: in order, worth a look, or in the way of a run. */
export type Finding = 'ok' | 'warning' | 'problem';

/** What is examined. */
export type StepName = 'proxy' | 'dns' | 'tcp' | 'tls' | 'token' | 'list' | 'clock' | 'requirements' | 'cost';

/** One examination with what came of it. */
export interface Step {
  readonly step: StepName;
  readonly finding: Finding;
  /** One sentence. */
  readonly sentence: string;
}

/** A finding put down as a step. */
export function makeStep(name: StepName, finding: Finding, sentence: string): Step {
  return { step: name, finding, sentence };
}
