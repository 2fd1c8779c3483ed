import { type Defect, type DefectDraft, type Difficulty, defectsOf } from '../defect.ts';
import {
  type Answer,
  type Change,
  composeChanges,
  type ReceivedRequest,
  type Service,
  wrap,
} from '../pipeline.ts';
import { changeLinkParameters } from '../step-changes.ts';

/** Accepts requests without an Authorization header if `open` returns true. */
export function openGate(open: (request: ReceivedRequest, service: Service) => boolean): Change {
  return wrap(
    'authorize',
    (authorize) => async (request, service) =>
      (await authorize(request, service)) ||
      (request.headers['authorization'] === undefined && open(request, service)),
  );
}

/** The value of one query parameter, or undefined. */
export function parameterOf(request: ReceivedRequest, service: Service, name: string): string | undefined {
  return service.steps.parameters(request, service).find((parameter) => parameter.name === name)?.value;
}

function skipOf(request: ReceivedRequest, service: Service): number {
  return Number(parameterOf(request, service, '$skip') ?? '0');
}

export function gateDefect(
  difficulty: Difficulty,
  words: string,
  open: (request: ReceivedRequest, service: Service) => boolean,
): DefectDraft {
  return {
    sentence: `Without an Authorization header, records are given ${words}.`,
    keywords: ['authorization'],
    must: ['authorization/required'],
    may: ['authorization/required-on-every-page', 'authorization/scheme'],
    difficulty,
    apply: openGate(open),
  };
}

type Guard = (path: string, service: Service) => boolean;

const guardsExactPath: Guard = (path, service) =>
  service.resources.some((one) => service.basePath + one.path === path);

/** A gate that compares paths more strictly than the router behind it, so that some spellings are not guarded. */
export function laxRouter(
  words: string,
  tidy: (path: string) => string,
  { guards, how }: { readonly guards: Guard; readonly how: string } = {
    guards: guardsExactPath,
    how: 'compares the path exactly',
  },
): DefectDraft {
  return {
    sentence:
      `The gate ${how} but the router ${words}, so a path in that spelling gives records without an ` +
      'Authorization header.',
    keywords: ['authorization'],
    must: ['authorization/required'],
    difficulty: 'hidden',
    apply: composeChanges(
      wrap('route', (route) => (request, service) => {
        const exact = route(request, service);
        return exact ?? route({ ...request, path: tidy(request.path) }, service);
      }),
      wrap('guarded', (guarded) => (request, service) => {
        // Only paths that the lax router maps to a list are unguarded; other unknown paths stay guarded.
        const misread = !guards(request.path, service) && service.steps.route(request, service) !== undefined;
        return guarded(request, service) && !misread;
      }),
    ),
  };
}

/** A gate that checks the beginning of a path only. */
const prefixGuard = {
  guards: (path: string, service: Service) => path.startsWith(`${service.basePath}/v1/`),
  how: 'guards paths that begin with /v1/',
};

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function resolveDotSegments(path: string): string {
  return decodePath(new URL(path.replace(/^\/+/, '/'), 'http://provider.example').pathname);
}

/** Requires a token once per key (target, caller or connection) and none after that. */
function rememberAuthorized(key: (request: ReceivedRequest) => unknown): Change {
  return wrap('authorize', (authorize) => {
    const shown = new Set<unknown>();
    return async (request, service) => {
      if (await authorize(request, service)) {
        shown.add(key(request));
        return true;
      }
      return request.headers['authorization'] === undefined && shown.has(key(request));
    };
  });
}

const gate = defectsOf({
  'gate-open': gateDefect('plain', 'to every caller', () => true),
  'gate-absent': {
    sentence:
      'The Authorization header is not checked: records are given without a token and with any token.',
    keywords: ['authorization'],
    must: ['authorization/required'],
    may: [
      'authorization/required-on-every-page',
      'authorization/scheme',
      'authorization/token-integrity',
      'token/refused-after-expiry',
    ],
    difficulty: 'plain',
    apply: wrap('guarded', () => () => false),
  },
  'gate-open-with-count': gateDefect(
    'hidden',
    'if $count is true',
    (request, service) => parameterOf(request, service, '$count')?.toLowerCase() === 'true',
  ),
  'gate-open-with-page-size': gateDefect(
    'hidden',
    'if $pagesize is given without $count',
    (request, service) => {
      const names = service.steps.parameters(request, service).map(({ name }) => name);
      return names.includes('$pagesize') && !names.includes('$count');
    },
  ),
  'gate-open-with-encoded-names': gateDefect('subtle', 'if parameter names are written with %24', (request) =>
    request.query.includes('%24'),
  ),
  'gate-open-with-count-and-page-size': gateDefect(
    'hidden',
    'if $count and $pagesize are given without $skip',
    (request, service) => {
      const names = service.steps.parameters(request, service).map(({ name }) => name);
      return names.includes('$pagesize') && names.includes('$count') && !names.includes('$skip');
    },
  ),
  'gate-open-for-one-record': gateDefect(
    'subtle',
    'if $pagesize is 1',
    (request, service) => parameterOf(request, service, '$pagesize') === '1',
  ),
  'gate-open-without-tenant': gateDefect(
    'subtle',
    'if there is no Tenant header either',
    (request) => request.headers['tenant'] === undefined,
  ),
  'gate-open-from-inside': gateDefect(
    'subtle',
    'if X-Forwarded-For names the loopback address',
    (request) => request.headers['x-forwarded-for'] === '127.0.0.1',
  ),
  'gate-open-from-private-network': gateDefect(
    'subtle',
    'if X-Forwarded-For names an address of a private network',
    (request) => request.headers['x-forwarded-for']?.toString().startsWith('10.') === true,
  ),
  'gate-open-to-health-checks': gateDefect('subtle', 'if User-Agent names a health check', ({ headers }) =>
    /kube-probe/u.test(String(headers['user-agent'])),
  ),
  'gate-open-with-origin': gateDefect('subtle', 'if there is an Origin header', ({ headers }) => {
    return headers['origin'] !== undefined;
  }),
  'gate-open-without-query': gateDefect('hidden', 'if there is no query', (request) => request.query === ''),
  'gate-trailing-slash': laxRouter('ignores a trailing slash', (path) => path.replace(/\/+$/, '')),
  'gate-double-slash': laxRouter('merges double slashes', (path) => path.replace(/\/{2,}/g, '/')),
  'gate-dot-segments-only': laxRouter(
    'resolves dot segments and decodes nothing',
    (path) => new URL(path.replace(/^\/+/, '/'), 'http://provider.example').pathname,
  ),
  'gate-letter-case': laxRouter('ignores letter case', (path) => path.toLowerCase()),
  'gate-encoded-letters': laxRouter('decodes percent-encoded letters', decodePath),
  'gate-dot-segments': laxRouter('resolves dot segments', resolveDotSegments),
  'gate-prefix-letter-case': laxRouter('ignores letter case', (path) => path.toLowerCase(), prefixGuard),
  'gate-prefix-encoded-letters': laxRouter('decodes percent-encoded letters', decodePath, prefixGuard),
  'gate-public-prefix': laxRouter('resolves dot segments', resolveDotSegments, {
    guards: (path) => !path.startsWith('/connect/'),
    how: 'does not guard paths that begin with /connect/',
  }),
  'gate-cache-by-address': {
    sentence:
      'Pages are cached by URL alone: once served with a token, the same URL gives records without an Authorization header.',
    keywords: ['authorization'],
    must: ['authorization/required'],
    may: ['authorization/required-on-every-page'],
    apply: rememberAuthorized((request) => request.target),
  },
  'gate-cache-of-small-pages': {
    sentence:
      'Pages of one or two records are cached by URL alone: the same URL gives them to the next caller.',
    keywords: ['authorization'],
    must: ['authorization/required'],
    may: ['authorization/required-on-every-page', 'authorization/scheme', 'authorization/token-integrity'],
    apply: rememberAuthorized((request) =>
      /pagesize=[12](?:&|$)/.test(request.target) ? request.target : request,
    ),
  },
  'gate-remembers-caller': {
    sentence:
      'After one call with a token, further calls from the same address need no Authorization header.',
    keywords: ['authorization'],
    must: ['authorization/required'],
    may: ['authorization/required-on-every-page', 'authorization/scheme'],
    apply: rememberAuthorized(() => 'the one loopback address'),
  },
  'gate-remembers-connection': {
    sentence:
      'After one call with a token, further calls on the same connection need no Authorization header.',
    keywords: ['authorization'],
    must: ['authorization/required'],
    may: ['authorization/required-on-every-page', 'authorization/scheme'],
    apply: rememberAuthorized((request) => request.connection),
  },
  'gate-refusal-with-records': {
    sentence: 'Without an Authorization header the answer has status 401, but its body holds the records.',
    keywords: ['authorization'],
    must: ['authorization/required'],
    may: ['authorization/required-on-every-page', 'authorization/scheme'],
    difficulty: 'hidden',
    apply: wrap('unauthorized', (unauthorized) => async (request, service): Promise<Answer> => {
      const answer = await unauthorized(request, service);
      const resource = service.steps.route(request, service);
      if (resource === undefined || request.headers['authorization'] !== undefined) return answer;
      return { ...service.steps.list(request, resource, service), status: answer.status };
    }),
  },
});

function linkedPageGateDefect(
  difficulty: Difficulty,
  words: string,
  open: (request: ReceivedRequest, service: Service) => boolean,
): DefectDraft {
  const isOpen: typeof open = (request, service) => skipOf(request, service) > 0 && open(request, service);
  return {
    ...gateDefect(difficulty, words, isOpen),
    must: ['authorization/required-on-every-page'],
    may: ['authorization/required'],
  };
}

const pages = defectsOf({
  'gate-first-page-only': linkedPageGateDefect('hidden', 'on every page except the first', () => true),
  'gate-second-page-open': linkedPageGateDefect('subtle', 'on the second page', (request, service) => {
    return skipOf(request, service) === Number(parameterOf(request, service, '$pagesize') ?? '500');
  }),
  'gate-last-page-open': linkedPageGateDefect('subtle', 'on the last page', (request, service) => {
    const end = skipOf(request, service) + Number(parameterOf(request, service, '$pagesize') ?? '500');
    return service.resources.some((resource) => end >= resource.records);
  }),
  'gate-deep-pages-open': linkedPageGateDefect('subtle', 'from record 900 on', (request, service) => {
    return skipOf(request, service) >= 900;
  }),
  'gate-linked-pages-cached': {
    sentence: 'A linked page once served with a token gives records without an Authorization header.',
    keywords: ['authorization'],
    must: ['authorization/required-on-every-page'],
    may: ['authorization/required'],
    apply: wrap('authorize', (authorize) => {
      const served = new Set<string>();
      return async (request, service) => {
        if (await authorize(request, service)) {
          if (skipOf(request, service) > 0) served.add(request.target);
          return true;
        }
        return request.headers['authorization'] === undefined && served.has(request.target);
      };
    }),
  },
  'gate-link-opens-itself': {
    sentence: 'Every link carries a key that gives records without an Authorization header.',
    keywords: ['authorization'],
    must: ['authorization/required-on-every-page'],
    may: ['authorization/required'],
    difficulty: 'hidden',
    apply: composeChanges(
      changeLinkParameters((parameters, page, service) => [
        ...parameters,
        ['key', String(service.steps.endOffset(page, service) * 7919)],
      ]),
      openGate((request, service) => {
        const skip = skipOf(request, service);
        return skip > 0 && parameterOf(request, service, 'key') === String(skip * 7919);
      }),
    ),
  },
});

/** Defects of the authorization gate: it refuses valid requests or accepts invalid ones. */
export const gateDefects: readonly Defect[] = [...gate, ...pages];
