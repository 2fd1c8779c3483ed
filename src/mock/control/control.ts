import type { Scenario } from '../scenario/scenario.ts';
import type { LogLine } from './log.ts';

/** Callbacks for the program that runs the mock. */
export interface Control {
  /** Called after each answered request. */
  readonly onLine?: (line: LogLine) => void;
  /** Parses a scenario that replaces the current one; throws an error that lists its problems. */
  readonly readScenario?: (text: string) => Promise<Scenario>;
}
