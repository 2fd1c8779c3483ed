import { type Answer, problem, type Steps, TOKEN_PATH } from '../pipeline.ts';
import { listSteps } from './list.ts';
import { tokenSteps } from './token.ts';

/** The steps from the request to the list: authorization first, then routing. */
const gateSteps = {
  receive: async (request, service) => {
    const { steps } = service;
    if (request.path === TOKEN_PATH) return steps.token(request, service);
    // Authorization comes first, so that a caller without a token cannot find out which paths exist.
    if (steps.guarded(request, service) && !(await steps.authorize(request, service))) {
      return steps.unauthorized(request, service);
    }
    const resource = steps.route(request, service);
    if (resource === undefined) return problem(404, 'there is nothing at this path');
    if (request.method !== 'GET') return problem(405, 'only GET is served here', { Allow: 'GET' });
    return steps.list(request, resource, service);
  },
  guarded: () => true,
  bearer: (request) => {
    const header = request.headers['authorization'];
    if (typeof header !== 'string') return undefined;
    return /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(header)?.[1];
  },
  resolve: (token, service) => service.tokenFormat.resolve(token),
  current: (session, _token, service) => service.now() < session.expiresAt,
  authorize: async (request, service) => {
    const { steps } = service;
    const token = steps.bearer(request, service);
    if (token === undefined) return false;
    const session = await steps.resolve(token, service);
    return session !== undefined && steps.current(session, token, service);
  },
  unauthorized: (request) => {
    // RFC 6750 section 3.1: no error code for a request that carried no credentials at all.
    const challenge =
      request.headers['authorization'] === undefined ? 'Bearer' : 'Bearer error="invalid_token"';
    return problem(401, 'a valid access token is required', { 'WWW-Authenticate': challenge });
  },
  route: (request, service) =>
    service.resources.find((resource) => service.basePath + resource.path === request.path),
} satisfies Partial<Steps>;

// Without Content-Length, Node.js sends every answer in chunks, which takes longer.
function lengthOf({ status, headers, body }: Answer): Readonly<Record<string, number>> {
  if (status === 204 || status === 304 || 'Content-Length' in headers) return {};
  return { 'Content-Length': Buffer.byteLength(body) };
}

/** The provider that conforms to every requirement. */
export const conformingSteps: Steps = {
  ...tokenSteps,
  ...gateSteps,
  ...listSteps,
  respond: (answer) => answer,
  deliver: (answer, response) => {
    response.writeHead(answer.status, { ...answer.headers, ...lengthOf(answer) });
    response.end(answer.body);
  },
};
