import { AT_LEAST_ONE_RECORD, type RecordNeed } from '../core/cause.ts';
import type { HttpRequest } from '../core/exchange.ts';
import { onOneLine, type Requirement } from '../core/requirement.ts';
import { REQUIREMENT_IDS, type RequirementId } from '../core/requirement-id.ts';
import type { ListClient } from '../provider/list-client.ts';
import type { Snapshot, Snapshots } from '../provider/snapshot.ts';
import type { TokenClient } from '../provider/token-client.ts';
import type { Judge, TestedList } from './context.ts';
import type { PageRule } from './rules/rule.ts';

/** A requirement with the function that tests it. */
export interface Check {
  readonly requirement: Requirement;
  /** The cause of the verdict if no case was exercised. */
  readonly dataNeed: string | RecordNeed;
  /** `target` if it is judged once, `list` if it is judged for each list. */
  readonly scope: 'target' | 'list';
  /**
   * Runs the check once. Throws Violation for a breach and Undecided if there is no verdict, and calls
   * `exercised` for each case in which a breach would have shown. Without an exercised case the check does not
   * pass. A part that must run after all other checks is passed to `afterAllChecks`.
   */
  readonly judge: Judge;
  /** What the requirement says of a single page: applied to every page of the run, also to those that others ask for. */
  readonly pageRule?: PageRule;
  /**
   * Whether the rule concerns single answers, whatever their items are: then it can be judged although items have no
   * identifier or pages are not filled.
   */
  readonly isAboutAnswers?: boolean;
  /**
   * Records that the list must hold until the end of the run. With fewer, a broken provider gives the same answers as a
   * correct one.
   */
  readonly leastRecords?: number;
  /** Where a custom check is declared, as `checks/mine.mjs:12` relative to the working folder; null if unknown. */
  readonly declaredAt?: string | null;
}

/** What a file of `specs/` states: the texts of a requirement and how it is tested. */
interface RequirementDefinition
  extends Omit<Requirement, 'smoke' | 'needs'>,
    Pick<Check, 'judge' | 'pageRule' | 'leastRecords'> {
  readonly id: RequirementId;
  /** Not part of the smoke suite if left out. */
  readonly smoke?: true;
  /** Nothing if left out. */
  readonly needs?: string | RecordNeed;
  /** What `judge` leaves until all other checks have run; not part of the smoke suite. */
  readonly testLater?: readonly Judge[];
  readonly isAboutAnswers?: true;
}

/** Declares a requirement of the specification. Requirements of the chapter `token` are judged once per target. */
export function requirement({
  judge,
  testLater = [],
  pageRule,
  isAboutAnswers,
  leastRecords = 0,
  smoke,
  needs,
  ...texts
}: RequirementDefinition): Check {
  const scope = texts.id.startsWith('token/') ? 'target' : 'list';
  return {
    requirement: {
      ...onOneLine(texts),
      smoke: smoke === true,
      needs: typeof needs === 'object' ? needs.text : (needs ?? null),
    },
    dataNeed: needs ?? AT_LEAST_ONE_RECORD,
    scope,
    judge: (context) => {
      if (context.options.suite !== 'smoke')
        for (const test of testLater) context.afterAllChecks(() => test(context));
      return judge(context);
    },
    isAboutAnswers: isAboutAnswers === true,
    leastRecords,
    ...(pageRule === undefined ? {} : { pageRule }),
  };
}

/**
 * Returns the checks if they are those of all requirements, in catalogue order. Throws if one is missing, doubled or
 * out of order.
 */
export function suiteOf(checks: readonly Check[]): readonly Check[] {
  for (const [index, id] of REQUIREMENT_IDS.entries())
    if (checks[index]?.requirement.id !== id)
      throw new Error(`specs/suite.ts lists ${checks[index]?.requirement.id ?? 'nothing'} instead of ${id}`);
  if (checks.length !== REQUIREMENT_IDS.length) throw new Error('specs/suite.ts lists a requirement twice');
  return checks;
}

/** A check or an observation that sends requests and uses evidence. */
export interface Requester {
  /** Runs work: all that it sends and uses, even later, counts for this requester. */
  run<Result>(work: () => Result): Result;
  /** How many requests were sent for it so far; waits for the last of them. */
  requests(): Promise<number>;
  /** Milliseconds during which at least one of those requests was in progress; waits for the last of them. */
  requestMs(): Promise<number>;
}

/** The answers of a list so far, for checks that send nothing: a further request throws. */
export interface OfflineAnswers {
  readonly tokens: TokenClient;
  readonly list: ListClient;
  readonly snapshot: Snapshot;
}

/** What the judge needs to test one list of one target. */
export interface JudgeInput extends TestedList {
  readonly snapshots: Snapshots;
  /** Whether checks are judged again because the data changed: then without the stateful model. */
  readonly isSecondAttempt?: true;
  /** Further snapshots of the list, for a check that is judged again. */
  newSnapshots(): Snapshots;
  /** All checks of the run, for the page rules that they state. */
  readonly checks: readonly Check[];
  /** The exchange of that number, to build a curl line from. */
  exchange(number: number): { readonly request: HttpRequest } | null;
  /** Whether any request to that origin was answered so far, with any status. */
  hasAnswered(origin: string): boolean;
  /** A copy of the answers so far. */
  offline(): OfflineAnswers;
  /** A new requester for the check or the observation of that identifier. */
  requester(id: string): Requester;
}

/** Every check with the input of its list: checks of scope `target` with the first one only, others with each. */
export function plan<Input>(
  checks: readonly Check[],
  inputs: readonly Input[],
): readonly { readonly check: Check; readonly input: Input }[] {
  return checks.flatMap((check) =>
    (check.scope === 'target' ? inputs.slice(0, 1) : inputs).map((input) => ({ check, input })),
  );
}
