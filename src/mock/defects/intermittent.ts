import type { RequirementId } from '../../core/requirement-id.ts';
import { problem } from '../conforming/gate.ts';
import { refuseToken } from '../conforming/token.ts';
import { type Defect, type DefectDraft, defectsOf } from '../defect.ts';
import { type Change, type ReceivedRequest, Refused, valuesOf, wrap } from '../pipeline.ts';
import { changeCount, changeText, changeTokenBody, type Members } from '../step-changes.ts';
import { openGate } from './authorization-gate.ts';
import { headerOf } from './authorization-token-location.ts';

/** A change that asks `isTurn` before each breach; the answer is true every n-th time. */
function everyNth(nth: number, change: (isTurn: () => boolean) => Change): Change {
  return (steps) => {
    let times = 0;
    return change(() => ++times % nth === 0)(steps);
  };
}

/** Every n-th call without an Authorization header gives records. */
function openEveryNth(nth: number): Change {
  return everyNth(nth, (isOpen) => openGate(() => isOpen()));
}

/** Every n-th request with a $skip is refused. */
function refuseLinkedPages(nth: number, status: number, title: string): Change {
  return everyNth(nth, (isRefused) =>
    wrap('skip', (skip) => (page, service) => {
      const value = skip(page, service);
      if (value > 0 && isRefused()) throw new Refused(problem(status, title));
      return value;
    }),
  );
}

function isBearer(request: ReceivedRequest): boolean {
  return headerOf(request).startsWith('Bearer ');
}

/** A breach of some list answers, which depend on nothing that a client sees. */
function nowAndThen(
  must: RequirementId,
  sentence: string,
  keywords: readonly string[],
  apply: Change,
): DefectDraft {
  return { sentence, keywords, must: [must], needs: { order: true }, apply };
}

/** Each new URL is answered by the next of three replicas, the last of which counts a record less, and kept for two seconds. */
const countOfReplicasBehindCache: Change = (steps) => {
  const kept = new Map<string, { readonly isOld: boolean; readonly until: number }>();
  let requests = 0;
  return changeCount((count, { request }) => {
    const now = performance.now();
    let entry = kept.get(request.target);
    if (entry === undefined || entry.until < now) entry = { isOld: ++requests % 3 === 0, until: now + 2000 };
    kept.set(request.target, entry);
    return entry.isOld ? count - 1 : count;
  })(steps);
};

/** count is that much higher from the 60th counted answer on. */
function countFromLater(by: number, words: string): DefectDraft {
  const draft = nowAndThen(
    'count/stable',
    `From the 60th answer with count on, it is one ${words}.`,
    ['count'],
    (steps) => {
      let answers = 0;
      return changeCount((count) => (++answers > 60 ? count + by : count))(steps);
    },
  );
  return { ...draft, may: ['count/equals-records'] };
}

/** The third token answer to a client has these members. */
function wrongThirdToken(must: RequirementId, words: string, members: Members): DefectDraft {
  return {
    sentence: `Only the third token answer to a client is wrong: ${words}.`,
    keywords: Object.keys(members),
    must: [must],
    needs: { order: true },
    apply: (steps) => {
      const given = new Map<string, number>();
      return changeTokenBody((answer, _issued, { client: { clientId } }) => {
        const times = (given.get(clientId) ?? 0) + 1;
        given.set(clientId, times);
        return { ...answer, ...(times === 3 ? members : {}) };
      })(steps);
    },
  };
}

/** Intermittent breaches, as if one of several servers behind a load balancer were faulty. */
export const intermittentDefects: readonly Defect[] = defectsOf({
  'gate-open-every-third-call': {
    sentence: 'Every third call without an Authorization header gives records.',
    keywords: ['authorization'],
    must: ['authorization/required'],
    may: ['authorization/required-on-every-page', 'authorization/scheme'],
    apply: openEveryNth(3),
  },
  'gate-open-every-twelfth-call': {
    sentence: 'Every twelfth call without an Authorization header gives records.',
    keywords: ['authorization'],
    must: ['authorization/required'],
    may: ['authorization/required-on-every-page', 'authorization/scheme'],
    needs: { order: true },
    apply: openEveryNth(12),
  },
  'integrity-any-token-every-twelfth-call': {
    sentence: 'Every twelfth call with a token that was not issued gives records.',
    keywords: ['token'],
    must: ['authorization/token-integrity'],
    needs: { order: true },
    apply: everyNth(12, (isAny) =>
      wrap('resolve', (resolve) => async (token, service) => {
        const session = await resolve(token, service);
        const { clientId } = service.credentials;
        return (
          session ?? (isAny() ? { clientId, scope: '', expiresAt: Number.POSITIVE_INFINITY } : undefined)
        );
      }),
    ),
  },
  'scheme-any-every-third-call': {
    sentence: 'Every third call with the token under another scheme than Bearer gives records.',
    keywords: ['token'],
    must: ['authorization/scheme'],
    apply: everyNth(3, (isAny) =>
      wrap('bearer', (bearer) => (request, service) => {
        const proper = bearer(request, service);
        const other = /^\S+ +(\S+)$/.exec(headerOf(request))?.[1];
        return proper ?? (other !== undefined && isAny() ? other : undefined);
      }),
    ),
  },
  'token-refused-every-sixth-call': {
    sentence: 'Every sixth call with a valid token is answered 401.',
    keywords: ['401'],
    must: ['authorization/accepted'],
    apply: everyNth(6, (isLost) =>
      wrap(
        'authorize',
        (authorize) => async (request, service) =>
          (await authorize(request, service)) && !(isBearer(request) && isLost()),
      ),
    ),
  },
  'list-broken-from-the-tenth-call': {
    sentence: 'List calls with a valid token are answered 500 from the tenth on.',
    keywords: ['500'],
    must: ['authorization/accepted'],
    difficulty: 'hidden',
    apply: wrap('list', (list) => {
      let calls = 0;
      return (request, resource, service) =>
        ++calls < 10 ? list(request, resource, service) : problem(500, 'out of memory');
    }),
  },
  'envelope-html-every-fifteenth-call': nowAndThen(
    'list/envelope',
    'Every 15th list answer is a page of HTML with status 200.',
    ['json'],
    everyNth(15, (isHtml) =>
      wrap(
        'pageAnswer',
        (pageAnswer) => (body, page, service) =>
          isHtml()
            ? { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<html>Just a moment</html>' }
            : pageAnswer(body, page, service),
      ),
    ),
  ),
  'envelope-empty-every-tenth-call': nowAndThen(
    'list/envelope',
    'Every tenth list answer is an empty object with status 200.',
    ['items'],
    everyNth(10, (isEmpty) => changeText((json) => (isEmpty() ? '{}' : json))),
  ),
  'link-refused-every-15th-time': nowAndThen(
    'traversal/followable',
    'Every 15th request with a $skip is answered 400.',
    ['400', 'linked pages'],
    refuseLinkedPages(15, 400, 'unknown parameter: $skip'),
  ),
  'link-not-found-every-twelfth-time': nowAndThen(
    'traversal/followable',
    'Every twelfth request with a $skip is answered 404.',
    ['404'],
    refuseLinkedPages(12, 404, 'there is nothing at this path'),
  ),
  'count-one-less-every-twentieth-call': nowAndThen(
    'count/stable',
    'count is one too low in every 20th answer.',
    ['count'],
    everyNth(20, (isStale) => changeCount((count) => (isStale() ? count - 1 : count))),
  ),
  'count-one-less-every-60th-call': nowAndThen(
    'count/stable',
    'count is one too low in every 60th answer.',
    ['count'],
    everyNth(60, (isStale) => changeCount((count) => (isStale() ? count - 1 : count))),
  ),
  'count-of-replicas-behind-cache': {
    sentence: 'One of three replicas behind a cache, whose key is the URL, counts one record less.',
    keywords: ['count'],
    must: ['count/stable'],
    // The smoke suite requests few URLs, all of which may show the same count.
    may: ['count/equals-records'],
    needs: { order: true },
    apply: countOfReplicasBehindCache,
  },
  'count-two-more-every-47th-call': nowAndThen(
    'count/stable',
    'count is two too high in every 47th answer.',
    ['count'],
    everyNth(47, (isStale) => changeCount((count) => (isStale() ? count + 2 : count))),
  ),
  'count-of-an-old-replica-every-13th-call': nowAndThen(
    'count/stable',
    'Every 13th answer takes count from a replica that holds 40 more records.',
    ['count'],
    everyNth(13, (isStale) => changeCount((count) => (isStale() ? count + 40 : count))),
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
  'page-one-more-every-third-time': nowAndThen(
    'page-size/limit',
    'Every third page of 2 to 20 records holds one record too many.',
    ['holds'],
    everyNth(3, (isWrong) =>
      wrap('pageSize', (pageSize) => (page, service) => {
        const size = pageSize(page, service);
        return size >= 2 && size <= 20 && isWrong() ? size + 1 : size;
      }),
    ),
  ),
  'default-250-every-third-time': nowAndThen(
    'page-size/default',
    'Every third page that is requested without $pagesize holds 250 records.',
    ['250'],
    everyNth(3, (isWrong) =>
      wrap(
        'pageSize',
        (pageSize) => (page, service) =>
          valuesOf(page, '$pagesize').length === 0 && isWrong() ? 250 : pageSize(page, service),
      ),
    ),
  ),
  'token-request-refused-every-second-time': {
    sentence: 'Every second valid token request is answered 400.',
    keywords: ['400'],
    must: ['token/issued'],
    apply: everyNth(2, (isRefused) =>
      wrap('grant', (grant) => (form, service) => {
        const granted = grant(form, service);
        if (granted.client.clientId === service.credentials.clientId && isRefused())
          refuseToken(400, 'invalid_request', 'not this time');
        return granted;
      }),
    ),
  },
  'count-more-after-a-while': countFromLater(1, 'more'),
  'count-less-after-a-while': countFromLater(-1, 'less'),
});
