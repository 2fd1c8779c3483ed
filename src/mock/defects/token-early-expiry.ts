import { setTimeout as wait } from 'node:timers/promises';
import type { DefectDraft } from '../defect.ts';
import { type Change, composeChanges, wrap } from '../pipeline.ts';

/** Refuses each token after `most` calls. */
function expireAfterCalls(most: number): Change {
  return (steps) => {
    const calls = new Map<string, number>();
    return wrap('current', (current) => (session, token, service) => {
      const made = (calls.get(token) ?? 0) + 1;
      calls.set(token, made);
      return made <= most && current(session, token, service);
    })(steps);
  };
}

/** Tokens that expire so early that any suite sees it. */
export const earlyExpiryDefects: readonly DefectDraft[] = [
  {
    id: 'token-ends-after-twenty-calls',
    sentence: 'A token is accepted for twenty calls only, although expires_in says 3600 seconds.',
    keywords: ['expires_in', '401'],
    must: ['token/accepted-until-expiry'],
    needs: { wholeSuite: true, order: true },
    apply: expireAfterCalls(20),
  },
  {
    id: 'token-ends-after-a-moment',
    sentence: 'A token is refused 0.25 seconds after it was issued, although expires_in says 3600 seconds.',
    keywords: ['expires_in', '401'],
    must: ['token/accepted-until-expiry'],
    // On a slow machine the token expires before the first call.
    may: ['authorization/accepted'],
    needs: { tokens: 'opaque', wholeSuite: true, order: true },
    apply: wrap('lifetime', () => () => 0.25),
  },
  {
    id: 'token-ends-after-seconds',
    sentence:
      'A token is refused 1.2 seconds after it was issued, although expires_in says 3600 seconds; answers take 60 milliseconds.',
    keywords: ['expires_in', '401'],
    must: ['token/accepted-until-expiry'],
    needs: { tokens: 'opaque', wholeSuite: true, order: true },
    apply: composeChanges(
      wrap('lifetime', () => () => 1.2),
      wrap('respond', (respond) => async (answer, request, service) => {
        await wait(60);
        return respond(answer, request, service);
      }),
    ),
  },
];
