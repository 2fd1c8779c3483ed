import type { Scenario } from '../scenario/scenario.ts';
import type { LogLine } from './log.ts';

/** What whoever runs the mock wants beside the provider itself. */
export interface Control {
  /** Told each request as it is answered. */
  readonly onLine?: (line: LogLine) => void;
  /** Reads the text of a scenario that is to replace the one in force; throws what is wrong with it. */
  readonly readScenario?: (text: string) => Promise<Scenario>;
}
