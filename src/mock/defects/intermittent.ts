import type { RequirementId } from '../../core/requirement-id.ts';
import { problem } from '../conforming/gate.ts';
import { breach, type Defect, type DefectDraft, defectsOf } from '../defect.ts';
import { requestedSize } from '../page-tests.ts';
import { type Change, counting, everyNth, wrap } from '../pipeline.ts';
import {
  changeCount,
  changePageAnswer,
  changeText,
  type Members,
  refusePages,
  setPageSize,
} from '../step-changes.ts';
import {
  acceptTokenFrom,
  acceptTokens,
  changeSomeTokenBodies,
  demand,
  headerOf,
  refuseGrants,
} from '../token-changes.ts';
import { ofGate, openGate } from './authorization-gate.ts';

/** Every n-th request with a $skip is refused. */
function refuseLinkedPages(nth: number, status: number, title: string): Change {
  return everyNth(nth, (isRefused) => refusePages(status, title, ({ skip }) => skip > 0 && isRefused()));
}

const inOrder = { needs: { order: true } } as const;

/** count is wrong in every n-th counted answer. */
function wrongCount(nth: number, by: number, sentence: string): DefectDraft {
  const apply = everyNth(nth, (isTurn) => changeCount((count) => (isTurn() ? count + by : count)));
  return breach('count/stable', 'count')(sentence, apply, inOrder);
}

/** Each new URL is answered by the next of three replicas, the last of which counts a record less, and kept for two seconds. */
const countOfReplicasBehindCache: Change = everyNth(3, (isTurn) => {
  const kept = new Map<string, { readonly isOld: boolean; readonly until: number }>();
  return changeCount((count, { request }) => {
    const now = performance.now();
    let entry = kept.get(request.target);
    if (entry === undefined || entry.until < now) entry = { isOld: isTurn(), until: now + 2000 };
    kept.set(request.target, entry);
    return entry.isOld ? count - 1 : count;
  });
});

/** count is that much higher from the 60th counted answer on. */
function countFromLater(by: number, words: string): DefectDraft {
  return breach('count/stable', 'count')(
    `From the 60th answer with count on, it is one ${words}.`,
    counting((number) => changeCount((count) => (number() > 60 ? count + by : count))),
    { ...inOrder, may: ['count/equals-records'] },
  );
}

/** The third token answer to a client has these members. */
function wrongThirdToken(must: RequirementId, words: string, wrong: Members): DefectDraft {
  return breach(must, ...Object.keys(wrong))(
    `Only the third token answer to a client is wrong: ${words}.`,
    changeSomeTokenBodies(
      (number) => number === 3,
      (members) => ({ ...members, ...wrong }),
    ),
    inOrder,
  );
}

/** Intermittent breaches, as if one of several servers behind a load balancer were faulty. */
export const intermittentDefects: readonly Defect[] = defectsOf({
  'gate-open-every-third-call': {
    ...ofGate,
    sentence: 'Every third call without an Authorization header gives records.',
    apply: everyNth(3, openGate),
  },
  'gate-open-every-twelfth-call': {
    ...ofGate,
    ...inOrder,
    sentence: 'Every twelfth call without an Authorization header gives records.',
    apply: everyNth(12, openGate),
  },
  'integrity-any-token-every-twelfth-call': breach('authorization/token-integrity', 'token')(
    'Every twelfth call with a token that was not issued gives records.',
    everyNth(12, (isAny) =>
      acceptTokens((_token, { credentials: { clientId } }) =>
        isAny() ? { clientId, scope: '', expiresAt: Number.POSITIVE_INFINITY } : undefined,
      ),
    ),
    inOrder,
  ),
  'scheme-any-every-third-call': breach('authorization/scheme', 'token')(
    'Every third call with the token under another scheme than Bearer gives records.',
    everyNth(3, (isAny) =>
      acceptTokenFrom((request) => {
        const other = /^\S+ +(\S+)$/.exec(headerOf(request))?.[1];
        return other !== undefined && isAny() ? other : undefined;
      }),
    ),
  ),
  'token-refused-every-sixth-call': breach('authorization/accepted', '401')(
    'Every sixth call with a valid token is answered 401.',
    everyNth(6, (isLost) => demand((request) => !(headerOf(request).startsWith('Bearer ') && isLost()))),
  ),
  'list-broken-from-the-tenth-call': breach('authorization/accepted', '500')(
    'List calls with a valid token are answered 500 from the tenth on.',
    counting((number) =>
      wrap(
        'list',
        (list) =>
          (...given) =>
            number() < 10 ? list(...given) : problem(500, 'out of memory'),
      ),
    ),
    { difficulty: 'hidden' },
  ),
  'envelope-html-every-fifteenth-call': breach('list/envelope', 'json')(
    'Every 15th list answer is a page of HTML with status 200.',
    everyNth(15, (isHtml) =>
      changePageAnswer((answer) =>
        isHtml()
          ? { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<html>Just a moment</html>' }
          : answer,
      ),
    ),
    inOrder,
  ),
  'envelope-empty-every-tenth-call': breach('list/envelope', 'items')(
    'Every tenth list answer is an empty object with status 200.',
    everyNth(10, (isEmpty) => changeText((json) => (isEmpty() ? '{}' : json))),
    inOrder,
  ),
  'link-refused-every-15th-time': breach('traversal/followable', '400', 'linked pages')(
    'Every 15th request with a $skip is answered 400.',
    refuseLinkedPages(15, 400, 'unknown parameter: $skip'),
    inOrder,
  ),
  'link-not-found-every-twelfth-time': breach('traversal/followable', '404')(
    'Every twelfth request with a $skip is answered 404.',
    refuseLinkedPages(12, 404, 'there is nothing at this path'),
    inOrder,
  ),
  'count-one-less-every-twentieth-call': wrongCount(20, -1, 'count is one too low in every 20th answer.'),
  'count-one-less-every-60th-call': wrongCount(60, -1, 'count is one too low in every 60th answer.'),
  'count-of-replicas-behind-cache': {
    sentence: 'One of three replicas behind a cache, whose key is the URL, counts one record less.',
    keywords: ['count'],
    must: ['count/stable'],
    // The smoke suite requests few URLs, all of which may show the same count.
    may: ['count/equals-records'],
    needs: { order: true },
    apply: countOfReplicasBehindCache,
  },
  'count-two-more-every-47th-call': wrongCount(47, 2, 'count is two too high in every 47th answer.'),
  'count-of-an-old-replica-every-13th-call': wrongCount(
    13,
    40,
    'Every 13th answer takes count from a replica that holds 40 more records.',
  ),
  'token-type-now-and-then': wrongThirdToken('token/type', 'token_type is bearer', { token_type: 'bearer' }),
  'scope-doubled-space-now-and-then': wrongThirdToken('token/scope', 'two spaces separate the scopes', {
    scope: 'a  b',
  }),
  'expires-in-text-now-and-then': wrongThirdToken('token/shape', 'expires_in is a string', {
    expires_in: '3600',
  }),
  'expires-in-7200-now-and-then': wrongThirdToken('token/validity', 'expires_in is 7200', {
    expires_in: 7200,
  }),
  'expires-in-1800-now-and-then': wrongThirdToken('token/validity', 'expires_in is 1800', {
    expires_in: 1800,
  }),
  'page-one-more-every-third-time': breach('page-size/limit', 'holds')(
    'Every third page of 2 to 20 records holds one record too many.',
    everyNth(3, (isWrong) =>
      wrap('pageSize', (pageSize) => (page, service) => {
        const size = pageSize(page, service);
        return size >= 2 && size <= 20 && isWrong() ? size + 1 : size;
      }),
    ),
    inOrder,
  ),
  'default-250-every-third-time': breach('page-size/default', '250')(
    'Every third page that is requested without $pagesize holds 250 records.',
    everyNth(3, (isWrong) => setPageSize(250, (page) => requestedSize(page) === undefined && isWrong())),
    inOrder,
  ),
  'token-request-refused-every-second-time': breach('token/issued', '400')(
    'Every second valid token request is answered 400.',
    refuseGrants((number) => number % 2 === 0, 400, 'invalid_request', 'not this time'),
  ),
  'count-more-after-a-while': countFromLater(1, 'more'),
  'count-less-after-a-while': countFromLater(-1, 'less'),
});
