import type { RequestTest } from './authorization-changes.ts';
import { type Change, counting, rewrite, wrap } from './changes.ts';
import { type Grant, refuseToken, type Service, type Steps } from './pipeline.ts';

/** The fields of a token request. */
export type Form = Parameters<Steps['grant']>[0];

/** Replaces fields of token requests before they are checked. */
export function replaceFields(
  replace: (form: Form, service: Service) => Readonly<Record<string, string>>,
): Change {
  return wrap(
    'grant',
    (grant) => (form, service) =>
      grant(new Map([...form, ...Object.entries(replace(form, service))]), service),
  );
}

/** Takes the client of some token requests for the first one. */
export function takeForFirstClient(where: (form: Form, service: Service) => boolean): Change {
  return replaceFields((form, service) => {
    const { clientId, clientSecret } = service.credentials;
    return where(form, service) ? { client_id: clientId, client_secret: clientSecret } : {};
  });
}

/** Refuses token requests before their form is read. */
export function refuseRequests(
  status: number,
  error: string,
  description: string,
  where: RequestTest,
): Change {
  return wrap('form', (form) => (request, service) => {
    if (where(request, service)) refuseToken(status, error, description);
    return form(request, service);
  });
}

/** Refuses valid token requests of the first client whose number, from 1, is selected. */
export function refuseGrants(
  isRefused: (number: number) => boolean,
  status: number,
  error: string,
  description = 'the client obtains no token now',
): Change {
  return counting((count) =>
    rewrite('grant', (granted, _form, service) => {
      const isOfFirst = granted.client.clientId === service.credentials.clientId;
      if (isOfFirst && isRefused(count())) refuseToken(status, error, description);
      return granted;
    }),
  );
}

/** Adds a valid token to the refusals whose error code `when` selects. */
export function refusedWithToken(when: (error: string) => boolean): Change {
  return rewrite('tokenRefusal', async (answer, refusal, _request, service) => {
    if (!when(refusal.error)) return answer;
    const granted: Grant = { client: service.credentials, scope: service.credentials.scope };
    const issued = await service.steps.issue(granted, service);
    const members: Record<string, unknown> = JSON.parse(Buffer.from(answer.body).toString('utf8'));
    const body = JSON.stringify({ ...members, ...service.steps.tokenBody(issued, granted, service) });
    return { ...answer, body };
  });
}

/** Whether a text that was given is taken for the real one. */
export type Comparison = (given: string | undefined, real: string) => boolean;

/** The text without accents. */
export function withoutMarks(text: string | undefined): string | undefined {
  return text?.normalize('NFD').replaceAll(/\p{M}/gu, '');
}

/** Whether a text matches a pattern in which % and * stand for any characters. */
export function matches(text: string, pattern: string | undefined): boolean {
  return pattern === '%' || pattern === '*' || pattern === text;
}
