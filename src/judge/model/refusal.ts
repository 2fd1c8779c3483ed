import type { CallOptions } from '../../provider/call-options.ts';
import type { ListClient } from '../../provider/list-client.ts';
import type { Breach } from '../violation.ts';
import type { ModelCall, ModelToken } from './model-state.ts';

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
export function isKnown({ worked, owner }: ModelCall): boolean {
  return worked || owner !== null;
}

/** The requirement that a call breaks if it is refused with a token in force. */
export function requirementOfRefusal({
  owner,
}: ModelCall): 'authorization/accepted' | 'traversal/followable' {
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
    const page = list.read(await list.call({ ...call, target: first }), true);
    if (page.kind !== 'page' || page.count !== total) return false;
  }
  return true;
}
