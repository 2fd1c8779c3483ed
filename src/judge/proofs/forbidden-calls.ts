import { Blocked } from '../../core/undecided.ts';
import type { CheckContext } from '../context.ts';
import { refusalsInTurn } from '../probes/valid-token-calls.ts';
import type { Violation } from '../violation.ts';

/**
 * Expects that a call which proves a breach by its answer 403 is refused again while the plain list call is accepted:
 * otherwise a limit of requests may be the reason. Throws Blocked.
 */
export async function expectLastingRefusals(context: CheckContext, violation: Violation): Promise<void> {
  const { list, tokens, requirement } = context;
  if (requirement.id === 'authorization/accepted') return;
  const forbidden = violation.breaches.map(({ exchanges }) =>
    list.failures.find(({ number, answer }) => answer?.status === 403 && exchanges.includes(number)),
  );
  const [first] = forbidden;
  if (first === undefined || forbidden.includes(undefined)) return;
  const authorization = `Bearer ${await tokens.bearer()}`;
  const { target } = first.request;
  const calls = { refused: { target, authorization }, accepted: { authorization } };
  if ((await refusalsInTurn(context, calls)) !== null) return;
  throw new Blocked(
    'authorization/accepted',
    `GET ${target} was answered 403, and in another way when repeated`,
  );
}
