import type { LoadOptions } from '../../../src/target/load.ts';

/** A minimal target file; `SECRET` is an environment variable. */
export const MINIMAL = `name: acme
authUrl: https://login.acme.example
baseUrl: https://api.acme.example
credentials:
  clientId: id
  clientSecret: \${SECRET}
  scope: a b
`;

interface Fault {
  /** What is wrong, for the name of the test. */
  readonly fault: string;
  readonly text: string;
  /** The message after the name of the file. */
  readonly message: string;
  readonly options?: Partial<LoadOptions>;
}

function added(lines: string, message: string): Fault {
  return { fault: lines, text: MINIMAL + lines, message };
}

function edited(from: string | RegExp, to: string, message: string): Fault {
  return { fault: to === '' ? `without ${from}` : to, text: MINIMAL.replace(from, to), message };
}

function withEnvironment(env: NodeJS.ProcessEnv, message: string): Fault {
  return { fault: JSON.stringify(env), text: MINIMAL, message, options: { env } };
}

/** Faults of a target file. */
export const FAULTS: readonly Fault[] = [
  withEnvironment(
    {},
    '6: credentials.clientSecret reads the environment variable SECRET, which is not set; export it, or add it to the environment file (--env; default: .env)',
  ),
  added('tenant: ${}', '8: tenant has a ${…} without a valid variable name'),
  edited(
    '${SECRET}',
    '${SEC',
    '6: credentials.clientSecret has a ${ without a closing }; write $${ for a literal ${',
  ),
  added('---\nname: other\n', '8: a second YAML document begins here; use one file per document'),
  edited(
    'https://api.acme.example',
    'http://',
    '3: baseUrl must be a URL that begins with https:// or http:// and names a host',
  ),
  edited('https://api.acme.example', '', '3: baseUrl is missing'),
  added('baseurl: x', '8: unknown key baseurl; did you mean baseUrl?'),
  added('limits:\n  retires: 3', '9: unknown key limits.retires; did you mean retries?'),
  edited('name:', 'nmae:', '1: unknown key nmae; did you mean name?'),
  added('limits:\n  requests: 3', '9: unknown key limits.requests; did you mean requestsPerSecond?'),
  added('clientSecret: x', '8: unknown key clientSecret; it belongs under credentials'),
  added('tls: {frobnicate: x}', '8: unknown key tls.frobnicate; valid keys are ca, cert, key'),
  added(
    'resources:\n- name: a\n  path: /printers\n  idfield: x',
    '11: unknown key resources[0].idfield; did you mean idField?',
  ),
  added('limits: {retries: many}', '8: limits.retries must be a whole number, not text'),
  edited(
    'clientId: id',
    'clientId: 123',
    '5: credentials.clientId must be text, not a number (put quotes around it to make it text)',
  ),
  added('tenant: [a]', '8: tenant must be text, not a list'),
  added('checks:\n-', '9: checks[0] must be text, not an empty entry'),
  added('tls: ./ca.pem', '8: tls must be a mapping of keys to values, not text'),
  added('limits: {concurrency: 1.5}', '8: limits.concurrency must be a whole number, not a fraction'),
  added('limits: {retries: true}', '8: limits.retries must be a whole number, not true'),
  added('limits: {retries: .inf}', '8: limits.retries must be a whole number, not Infinity'),
  added(
    'headers: {toString: "a\\nb"}',
    '8: headers.toString must be text that fits on one header line, without blanks around it',
  ),
  added(
    'headers: {path: "a\\nb"}',
    '8: headers.path must be text that fits on one header line, without blanks around it',
  ),
  edited('name: acme', 'name: ""', '1: name must not be empty'),
  added('tenant: ""', '8: tenant must not be empty'),
  edited('name: acme', 'name: "a\\tb"', '1: name must have no control characters'),
  added('limits: {concurrency: 0}', '8: limits.concurrency must be at least 1'),
  added('limits: {retries: 21}', '8: limits.retries must be at most 20'),
  added('limits: {requestsPerSecond: 0}', '8: limits.requestsPerSecond must be more than 0'),
  added('evidence: some', '8: evidence must be one of full, pseudonymous, digest'),
  added('resources: []', '8: resources must have at least 1 entry'),
  edited('  scope: a b\n', '', '4: credentials.scope is missing'),
  ...['a  b', ' a', 'a b ', 'a\\tb', 'drücker', '\\"a b\\"'].map((scope) =>
    edited(
      'scope: a b',
      `scope: "${scope}"`,
      '7: credentials.scope has a space too many, or a character that a scope cannot have (RFC 6749, 3.3); write scopes of printable ASCII characters without quotes and backslashes, with one space between two',
    ),
  ),
  edited(/authUrl.*\n/, '', '1: authUrl is missing'),
  withEnvironment(
    { SECRET: '' },
    '6: credentials.clientSecret must not be empty (the environment variable SECRET is empty)',
  ),
  added('tls: {cert: a}', '8: tls.key is missing: it is required with cert'),
  edited(
    'https://api',
    'api',
    '3: baseUrl must be a URL that begins with https:// or http:// and names a host',
  ),
  edited(
    'https://api',
    'ftp://api',
    '3: baseUrl must be a URL that begins with https:// or http:// and names a host',
  ),
  edited('https://api.acme.example', 'https://api:99999', '3: baseUrl is not a URL'),
  edited('api.acme.example', 'api.acme.example/?a=b', '3: baseUrl must not have a query'),
  edited('api.acme.example', 'api.acme.example/#', '3: baseUrl must not have a fragment'),
  edited('api.acme.example', 'u:p@api.acme.example', '3: baseUrl must not hold a user name or password'),
  edited('api.acme.example', '@api.acme.example', '3: baseUrl must not hold a user name or password'),
  added(
    'resources: [{name: a, path: v1/printers}]',
    '8: resources[0].path must begin with a slash and have no query, fragment or blank, such as /v1/printers',
  ),
  added(
    'resources: [{name: a, path: "/v1?a=b"}]',
    '8: resources[0].path must begin with a slash and have no query, fragment or blank, such as /v1/printers',
  ),
  added(
    'resources:\n- {name: a, path: /printers}\n- {name: a, path: /b/printers}',
    '10: two resources have the name a; rename one of them',
  ),
  added(
    'resources: [{name: a, path: /v1/units}]',
    '8: resources[0].itemSchema is missing: set it to printer (built in) or to a JSON Schema file',
  ),
  added(
    'resources: [{name: a, path: /a, itemSchema: ./a.json}]',
    '8: resources[0].itemSchema is neither built in (printer) nor a file: ./a.json',
  ),
  added('headers: {authorization: x}', '8: headers.authorization is set by Assay; remove it'),
  added(
    'headers: {accept: text/html}',
    '8: headers.accept excludes application/json, the type of every list (clause 4.2); add it, or remove the header',
  ),
  added(
    'headers: {Accept: application/json;q=0}',
    '8: headers.Accept excludes application/json, the type of every list (clause 4.2); add it, or remove the header',
  ),
  added(
    'headers: {If-None-Match: x}',
    '8: headers.If-None-Match may change the answer to 206, 304 or 412; remove it',
  ),
  added('headers: {TENANT: x}', '8: headers.TENANT is set by Assay; remove it and use tenant'),
  added('headers: {"a b": x}', '8: headers has a name that HTTP does not allow: "a b"'),
  added(
    'headers: {A: "x\\r\\ny"}',
    '8: headers.A must be text that fits on one header line, without blanks around it',
  ),
  added('tls: {ca: ./no.pem}', '8: tls.ca names a file that does not exist: ./no.pem'),
  added('checks:\n- ./no.mjs', '9: checks[0] names a file that does not exist: ./no.mjs'),
  added(
    'waivers: [{requirement: a, reason: b, until: 2027-02-30}]',
    '8: waivers[0].until is not a calendar day: 2027-02-30',
  ),
  added(
    'waivers: [{requirement: a, reason: b, until: 31.3.2027}]',
    '8: waivers[0].until must be a day, such as 2027-03-31',
  ),
  added('waivers: [{requirement: a, until: 2027-03-31}]', '8: waivers[0].reason is missing'),
  added('name: again', '8: the YAML cannot be read: Map keys must be unique'),
  added(
    'limits: {retries: ${MOST}}',
    '8: the YAML cannot be read: Unexpected flow-map-start at node end; put quotes around "${NAME}" inside { } and [ ]',
  ),
  {
    fault: 'no mapping',
    text: '- a\n- b',
    message: '1: a target file is a mapping of keys to values, such as name: acme',
  },
  {
    fault: 'nothing at all',
    text: '',
    message:
      ' the file is empty; if "assay mock > acme.yaml" writes it, run again once the mock prints "Serving"',
  },
];
