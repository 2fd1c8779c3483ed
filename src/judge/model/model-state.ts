import type { RequirementId } from '../../core/requirement-id.ts';
import { type Identities, sameIdentities } from '../../provider/identity.ts';
import type { ListClient } from '../../provider/list-client.ts';
import type { CallOptions } from '../../provider/sender.ts';
import type { TokenAnswer } from '../../provider/token-answer.ts';
import type { PageRule } from '../rules/rule.ts';
import type { Breach, Violation } from '../violation.ts';

export interface ModelToken {
  /** Position in the order in which the tokens were issued, from 1. */
  readonly number: number;
  readonly token: string;
  readonly answer: TokenAnswer;
  /** Whether a list call with it was answered 200. */
  wasAccepted: boolean;
}

/** A list call that a sequence knows. */
export interface ModelCall {
  readonly target: string;
  /**
   * The token that obtained the link; null for a request by parameters. Only that token can follow the link for sure.
   */
  readonly owner: ModelToken | null;
  /** How often it was answered 200. */
  uses: number;
}

/** What a sequence knows of the provider: its tokens in the order of issue, the links and the records seen so far. */
export class ProviderModel {
  /** Records of the list, as the main traversal of the snapshot gave them. */
  readonly total: number;
  /** The page size of the first call. */
  readonly pageSize: number;
  /** The page of that size that the first call requests, from 0. */
  readonly firstPage: number;
  /** A token that nobody issued. */
  readonly randomToken: string;
  readonly tokens: ModelToken[] = [];
  readonly links: ModelCall[] = [];
  readonly calls: ModelCall[] = [];
  /** Records by $count, page size and position, as they were given first. */
  readonly records = new Map<string, { readonly identities: Identities; readonly exchange: number }>();

  /** The call that was answered last with a page. */
  lastUsed: ModelCall | null = null;

  #issued = 0;

  constructor(facts: Pick<ProviderModel, 'total' | 'pageSize' | 'firstPage' | 'randomToken'>) {
    this.total = facts.total;
    this.pageSize = facts.pageSize;
    this.firstPage = facts.firstPage;
    this.randomToken = facts.randomToken;
  }

  /**
   * The parameters of a page behind the first one. After the last page of the list comes its first page.
   *
   * @param number pages of that size behind the page with the record that the sequence begins with
   */
  place(number: number, pageSize = this.pageSize): { readonly pageSize: number; readonly skip?: number } {
    const pages = Math.max(1, Math.ceil(this.total / pageSize));
    const page = (Math.floor((this.firstPage * this.pageSize) / pageSize) + number) % pages;
    return page === 0 ? { pageSize } : { pageSize, skip: page * pageSize };
  }

  get newest(): ModelToken {
    const token = this.tokens.at(-1);
    if (token === undefined) throw new Error('a sequence begins with a token');
    return token;
  }

  get earliest(): ModelToken {
    return this.tokens[0] ?? this.newest;
  }

  /** Tokens so far, those that are left out included. */
  get issued(): number {
    return this.#issued;
  }

  add(token: ModelToken): void {
    this.tokens.push(token);
    this.#issued = Math.max(this.#issued, token.number);
  }

  /** Leaves out a token that is no longer in force, and the links that it obtained. */
  forget(token: ModelToken): void {
    const place = this.tokens.indexOf(token);
    if (place >= 0) this.tokens.splice(place, 1);
    const others = this.links.filter(({ owner }) => owner !== token);
    this.links.splice(0, this.links.length, ...others);
  }

  /** A call by parameters, the same one each time. */
  callOf(target: string): ModelCall {
    return knownCall(this.calls, target, null);
  }

  /** The link with that target that this token obtained, the same one each time. */
  linkOf(target: string, owner: ModelToken): ModelCall {
    return knownCall(this.links, target, owner);
  }
}

function knownCall(calls: ModelCall[], target: string, owner: ModelToken | null): ModelCall {
  const known = calls.find((call) => call.target === target && call.owner === owner);
  if (known !== undefined) return known;
  const call: ModelCall = { target, owner, uses: 0 };
  calls.push(call);
  return call;
}

/** Whether both pages begin with the same records; rules about page sizes judge how many they hold. */
export function startsAlike(one: Identities, other: Identities): boolean {
  const shared = Math.min(one.length, other.length);
  if (shared === 0) return one.length === other.length;
  return sameIdentities(one.subarray(0, shared), other.subarray(0, shared));
}

/** A requirement with what it says of single pages. */
export interface NamedPageRule extends PageRule {
  readonly id: RequirementId;
}

/** A breach that a sequence showed, with all its steps. */
export interface Suspicion {
  readonly requirement: RequirementId;
  /** Whether only data at rest proves it. */
  readonly atRest: boolean;
  /** Records before the page that shows it; 0 for a breach of no page. */
  readonly place: number;
  /** Whether a request of another check may have led to it. */
  readonly isExcusable: boolean;
  /** Whether the breach has no other explanation, so that it need not show again in the same sequence. */
  readonly isProven: boolean;
  /** A requirement that cannot be decided because of this breach. */
  readonly hides?: RequirementId;
  readonly violation: Violation;
}

/** Thrown to end a sequence after an answer that no rule can judge. */
export class SequenceEnded extends Error {}

/** Thrown where a step shows a breach. */
export class BreachSuspected extends Error {
  readonly suspicion: Suspicion;

  constructor(suspicion: Suspicion) {
    super(suspicion.violation.message);
    this.suspicion = suspicion;
  }
}

/** How often a call must be answered 403, and another one with the same token 200, to rule out a rate limit. */
const FORBIDDEN_TURNS = 3;

/** What a refused call was answered, and must be answered. */
export type Refusal = Pick<Breach, 'message' | 'expected' | 'actual'>;

export function refusalOf(target: string, { number }: ModelToken, status: number): Refusal {
  return {
    message: `GET ${target} with token ${number}, which is in force, was answered ${status}; it must be answered 200`,
    expected: 200,
    actual: status,
  };
}

/** Whether a call must be answered: it was before, or a link gave it. */
export function isKnown({ uses, owner }: ModelCall): boolean {
  return uses > 0 || owner !== null;
}

/** The requirement that a call breaks if it is refused with a token in force. */
export function requirementOfRefusal({ owner }: ModelCall): RequirementId {
  return owner === null ? 'authorization/accepted' : 'traversal/followable';
}

/** Statuses of an outage or a rate limit, which prove nothing. */
export function isOutage(status: number): boolean {
  return status === 429 || status >= 500 || status === 0;
}

/**
 * Whether a call is refused in the same way again and again while the list is given, with as many records as before.
 *
 * @param expected.first request target of the first page, with its count
 * @param expected.total records of the list
 */
export async function isRefusedAtRest(
  list: ListClient,
  call: Pick<CallOptions, 'target' | 'authorization'>,
  expected: { readonly status: number; readonly first: string; readonly total: number },
): Promise<boolean> {
  const { status, first, total } = expected;
  for (let turn = 0; turn < (status === 403 ? FORBIDDEN_TURNS : 1); turn++) {
    const again = await list.call(call);
    if (again.answer?.status !== status) return false;
    const page = list.readAndNote(await list.call({ ...call, target: first }), { isJudged: true });
    if (page.kind !== 'page' || page.count !== total) return false;
  }
  return true;
}
