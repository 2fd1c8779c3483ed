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

// The wording of traversal requirements for a repeated record.
const RECORD = /\brecord (\S{3,200}) (?:twice )?on page /u;

/** What to mark in the answers that a violation cites. */
export function marksFor(result: RequirementResult, violation: ViolationRecord): Marks {
  const members = new Set(MEMBERS.find(([prefix]) => result.id.startsWith(prefix))?.[1] ?? []);
  if (result.id === 'token/shape') {
    for (const name of ['access_token', 'token_type', 'expires_in', 'scope']) {
      if (violation.message.includes(name)) members.add(name);
    }
  }
  const item = violation.counterexample?.['item'];
  const texts = new Set<string>();
  if (result.id.startsWith('traversal/') && typeof violation.actual === 'string') {
    const [, record] = RECORD.exec(violation.actual) ?? [];
    if (record !== undefined) texts.add(record);
  }
  return { members, item: typeof item === 'number' ? item : null, texts };
}
