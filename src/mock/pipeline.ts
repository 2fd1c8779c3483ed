import type { ServerResponse } from 'node:http';
import type { Credentials, Resource } from './scenario/scenario.ts';

/** The path of the token endpoint (specification 4.1). */
export const TOKEN_PATH = '/connect/token';

/** The default and the maximum number of records on a page (specification 8). */
export const MAX_PAGE_SIZE = 500;

/** One HTTP request as the provider received it, nothing decoded or normalised. */
export interface ReceivedRequest {
  /** Its number on this provider, from 1. */
  readonly number: number;
  readonly method: string;
  /** The request target byte for byte, `?` and query included. */
  readonly target: string;
  /** The part of the target before the first `?`, without scheme and authority. */
  readonly path: string;
  /** The part of the target after the first `?`; empty when there is none. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Every value of a header, by its name in lower case, in the order sent: of most names `headers` holds the first alone. */
  readonly repeated: (name: string) => readonly string[];
  readonly body: Buffer;
  /** The connection it came over, for providers that (wrongly) remember connections. */
  readonly connection: object;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** An answer with a text. @param type its Content-Type; none if left out */
export function textAnswer(status: number, body = '', type?: string): Answer {
  return { status, headers: type === undefined ? {} : { 'Content-Type': type }, body };
}

export function withHeaders(answer: Answer, headers: Answer['headers']): Answer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** A problem details answer (RFC 9457). */
export function problem(status: number, title: string, headers: Answer['headers'] = {}): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/problem+json', ...headers },
    body: JSON.stringify({ title, status }),
  };
}

/** Thrown by any step to end the request with this answer. */
export class Refused extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`refused with status ${answer.status}`);
    this.answer = answer;
  }
}

/** Why a token request is refused: an error code of RFC 6749 section 5.2 and the status it is sent with. */
export interface TokenRefusal {
  readonly status: number;
  readonly error: string;
  readonly description: string;
}

/** Thrown by the steps of the token endpoint; `tokenRefusal` makes the answer of it. */
export class TokenRefused extends Error {
  readonly refusal: TokenRefusal;

  constructor(refusal: TokenRefusal) {
    super(refusal.description);
    this.refusal = refusal;
  }
}

/** Ends a token request with an error of RFC 6749 section 5.2. */
export function refuseToken(status: number, error: string, description: string): never {
  throw new TokenRefused({ status, error, description });
}

/** A valid token request. */
export interface Grant {
  readonly client: Credentials;
  /** The scopes granted, separated by single spaces. */
  readonly scope: string;
}

/** An issued token. Times are in milliseconds since the epoch by the provider's clock. */
export interface Issued {
  readonly token: string;
  readonly expiresAt: number;
}

/** The session of an issued token. `expiresAt` is in milliseconds since the epoch. */
export interface Session {
  readonly clientId: string;
  readonly scope: string;
  readonly expiresAt: number;
}

/** One parameter of the query, in the order sent. */
export interface Parameter {
  /** The name as sent, for instance `%24count`. */
  readonly rawName: string;
  /** The name with percent-encoding undone, for instance `$count`. */
  readonly name: string;
  readonly value: string;
}

/**
 * One list call while it is answered. The fields are filled from top to bottom, each by the step of its name, so a
 * step may use those above it.
 */
export interface Page {
  readonly request: ReceivedRequest;
  readonly resource: Resource;
  readonly parameters: readonly Parameter[];
  counting: boolean;
  pageSize: number;
  skip: number;
  /** How many records match. */
  total: number;
  /** The positions (0-based places in the list) that the page holds. */
  positions: readonly number[];
}

/** The value of nextPageLink: undefined on pages without a link, null or an object by some variants and defects. */
export type NextPageLink = string | object | null | undefined;

/** The three members of the envelope; `undefined` for missing ones. */
export interface EnvelopeParts {
  readonly items: readonly unknown[];
  readonly nextPageLink: NextPageLink;
  readonly count: unknown;
}

/** What every step can use: the provider's settings, its clock and the complete steps. */
export interface Service {
  /** The steps after all variants and defects: steps call each other through this member, never directly. */
  readonly steps: Steps;
  readonly credentials: Credentials;
  readonly otherCredentials: Credentials;
  readonly clients: readonly Credentials[];
  readonly resources: readonly Resource[];
  readonly basePath: string;
  readonly seed: number;
  /** Scheme and authority of the listener, without a slash at the end. */
  readonly origin: string;
  /** The provider's clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Creates and recognises tokens. */
  readonly tokenFormat: TokenFormat;
}

/** Creates and recognises tokens. `resolve` does not check expiry. */
export interface TokenFormat {
  readonly mint: (session: Session, issuedAt: number) => Promise<string>;
  readonly resolve: (token: string) => Promise<Session | undefined>;
}

type Answered = Answer | Promise<Answer>;

/** The provider as small steps. A defect or a variant replaces one or more of them. */
export interface Steps {
  readonly receive: (request: ReceivedRequest, service: Service) => Promise<Answer>;

  readonly token: (request: ReceivedRequest, service: Service) => Promise<Answer>;
  readonly form: (request: ReceivedRequest, service: Service) => ReadonlyMap<string, string>;
  readonly grantTypeAccepted: (grantType: string | undefined, service: Service) => boolean;
  readonly findClient: (clientId: string | undefined, service: Service) => Credentials | undefined;
  readonly secretAccepted: (client: Credentials, secret: string | undefined, service: Service) => boolean;
  readonly grantScope: (client: Credentials, scope: string | undefined, service: Service) => string;
  readonly grant: (form: ReadonlyMap<string, string>, service: Service) => Grant;
  /** Seconds for which a new token is accepted. */
  readonly lifetime: (grant: Grant, service: Service) => number;
  readonly issue: (grant: Grant, service: Service) => Promise<Issued>;
  readonly tokenBody: (issued: Issued, grant: Grant, service: Service) => Record<string, unknown>;
  readonly tokenAnswer: (body: Record<string, unknown>, request: ReceivedRequest, service: Service) => Answer;
  readonly tokenRefusal: (refusal: TokenRefusal, request: ReceivedRequest, service: Service) => Answered;

  readonly guarded: (request: ReceivedRequest, service: Service) => boolean;
  readonly bearer: (request: ReceivedRequest, service: Service) => string | undefined;
  readonly resolve: (token: string, service: Service) => Promise<Session | undefined>;
  /** Whether an issued token is still valid. */
  readonly current: (session: Session, token: string, service: Service) => boolean;
  readonly authorize: (request: ReceivedRequest, service: Service) => Promise<boolean>;
  readonly unauthorized: (request: ReceivedRequest, service: Service) => Answered;

  readonly route: (request: ReceivedRequest, service: Service) => Resource | undefined;
  readonly list: (request: ReceivedRequest, resource: Resource, service: Service) => Answer;
  readonly parameters: (request: ReceivedRequest, service: Service) => readonly Parameter[];
  readonly counting: (page: Page, service: Service) => boolean;
  readonly pageSize: (page: Page, service: Service) => number;
  readonly skip: (page: Page, service: Service) => number;
  readonly total: (page: Page, service: Service) => number;
  readonly positions: (page: Page, service: Service) => readonly number[];
  readonly recordAt: (position: number, page: Page, service: Service) => number;
  readonly item: (record: number, page: Page, service: Service) => unknown;
  /** Number of records up to and including this page: `$skip` of the next one. */
  readonly endOffset: (page: Page, service: Service) => number;
  readonly more: (page: Page, service: Service) => boolean;
  readonly count: (page: Page, service: Service) => unknown;
  readonly linkPath: (page: Page, service: Service) => string;
  readonly linkParameters: (page: Page, service: Service) => readonly (readonly [string, string])[];
  readonly linkQuery: (parameters: readonly (readonly [string, string])[], service: Service) => string;
  readonly link: (page: Page, service: Service) => NextPageLink;
  readonly envelope: (parts: EnvelopeParts, page: Page, service: Service) => unknown;
  readonly serialise: (envelope: unknown, page: Page, service: Service) => string | Uint8Array;
  readonly pageAnswer: (body: string | Uint8Array, page: Page, service: Service) => Answer;

  /** Final changes to any answer: status, headers, encoding. */
  readonly respond: (answer: Answer, request: ReceivedRequest, service: Service) => Answered;
  readonly deliver: (answer: Answer, to: ServerResponse, request: ReceivedRequest, service: Service) => void;
}

/** The session of the token of a request, expired or not. */
export async function sessionOf(request: ReceivedRequest, service: Service): Promise<Session | undefined> {
  const token = service.steps.bearer(request, service);
  return token === undefined ? undefined : service.steps.resolve(token, service);
}

/** All values of one query parameter, by its decoded name. */
export function valuesOf(page: Page, name: string): readonly string[] {
  return page.parameters.filter((parameter) => parameter.name === name).map((parameter) => parameter.value);
}
