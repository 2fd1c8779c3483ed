import type { RequirementResult, ViolationRecord } from '../../core/results.ts';
import type { Marks } from './excerpt.ts';

const MEMBERS: readonly (readonly [prefix: string, members: readonly string[]])[] = [
  ['link/', ['nextPageLink']],
  ['traversal/followable', ['nextPageLink']],
  ['traversal/terminates', ['nextPageLink']],
  ['count/', ['count']],
  ['page-size/', ['items']],
  ['list/envelope', ['items']],
  ['token/type', ['token_type']],
  ['token/validity', ['expires_in']],
  ['token/scope', ['scope']],
  ['token/secret', ['access_token']],
  ['token/client', ['access_token']],
  ['token/grant-type', ['access_token']],
  ['token/provider-isolation', ['access_token']],
  ['authorization/required', ['items']],
  ['authorization/scheme', ['items']],
  ['authorization/token-integrity', ['items']],
];

/** Identifiers that can be searched for in an answer; shorter ones occur in too many places. */
const IDENTIFIER = /^\S{3,200}$/u;

/** What to mark in the answers that a violation cites, by the names in its counterexample. */
export function marksFor(result: RequirementResult, violation: ViolationRecord): Marks {
  const members = new Set(MEMBERS.find(([prefix]) => result.id.startsWith(prefix))?.[1] ?? []);
  const { item, member, identifier } = violation.counterexample ?? {};
  if (result.id === 'token/shape' && typeof member === 'string') members.add(member);
  const isFindable = typeof identifier === 'string' && IDENTIFIER.test(identifier);
  return {
    members,
    item: typeof item === 'number' ? item : null,
    texts: new Set(isFindable ? [identifier] : []),
  };
}
