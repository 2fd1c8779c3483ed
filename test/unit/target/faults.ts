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

/** Faults of a target file: a name, the file, the message, and the options. */
export const FAULTS: readonly (readonly [
  name: string,
  file: string,
  message: string,
  options?: Partial<LoadOptions>,
])[] = [
  [
    'an unset variable',
    MINIMAL,
    'acme.yaml:6: credentials.clientSecret reads the environment variable SECRET, which is not set; export it, or add it to the environment file (.env)',
    { env: {} },
  ],
  [
    'a nameless reference',
    `${MINIMAL}tenant: \${}`,
    'acme.yaml:8: tenant has a ${…} without a valid variable name',
  ],
  [
    'a reference that is not closed',
    MINIMAL.replace('${SECRET}', '${SEC'),
    'acme.yaml:6: credentials.clientSecret has a ${ without a closing }; write $${ for a literal ${',
  ],
  [
    'a second document',
    `${MINIMAL}---\nname: other\n`,
    'acme.yaml:8: a second YAML document begins here; use one file per document',
  ],
  [
    'a URL of nothing',
    MINIMAL.replace('https://api.acme.example', 'http://'),
    'acme.yaml:3: baseUrl must be a URL that begins with https:// or http:// and names a host',
  ],
  [
    'a key without a value',
    MINIMAL.replace('https://api.acme.example', ''),
    'acme.yaml:3: baseUrl is missing',
  ],
  ['an unknown key', `${MINIMAL}baseurl: x`, 'acme.yaml:8: unknown key baseurl; did you mean baseUrl?'],
  [
    'a nested unknown key',
    `${MINIMAL}limits:\n  retires: 3`,
    'acme.yaml:9: unknown key limits.retires; did you mean retries?',
  ],
  [
    'a key with two letters swapped',
    MINIMAL.replace('name:', 'nmae:'),
    'acme.yaml:1: unknown key nmae; did you mean name?',
  ],
  [
    'a part of a key',
    `${MINIMAL}limits:\n  requests: 3`,
    'acme.yaml:9: unknown key limits.requests; did you mean requestsPerSecond?',
  ],
  [
    'a key in the wrong place',
    `${MINIMAL}clientSecret: x`,
    'acme.yaml:8: unknown key clientSecret; it belongs under credentials',
  ],
  [
    'an unheard-of key',
    `${MINIMAL}tls: {frobnicate: x}`,
    'acme.yaml:8: unknown key tls.frobnicate; valid keys are ca, cert, key',
  ],
  [
    'an unknown key in a list',
    `${MINIMAL}resources:\n- name: a\n  path: /printers\n  idfield: x`,
    'acme.yaml:11: unknown key resources[0].idfield; did you mean idField?',
  ],
  [
    'a wrong type',
    `${MINIMAL}limits: {retries: many}`,
    'acme.yaml:8: limits.retries must be a whole number, not text',
  ],
  [
    'a number for text',
    MINIMAL.replace('clientId: id', 'clientId: 123'),
    'acme.yaml:5: credentials.clientId must be text, not a number (put quotes around it to make it text)',
  ],
  ['a list for text', `${MINIMAL}tenant: [a]`, 'acme.yaml:8: tenant must be text, not a list'],
  [
    'text for a mapping',
    `${MINIMAL}tls: ./ca.pem`,
    'acme.yaml:8: tls must be a mapping of keys to values, not text',
  ],
  [
    'a fraction',
    `${MINIMAL}limits: {concurrency: 1.5}`,
    'acme.yaml:8: limits.concurrency must be a whole number, not a fraction',
  ],
  [
    'a number below its bound',
    `${MINIMAL}limits: {concurrency: 0}`,
    'acme.yaml:8: limits.concurrency must be at least 1',
  ],
  [
    'a number above its bound',
    `${MINIMAL}limits: {retries: 21}`,
    'acme.yaml:8: limits.retries must be at most 20',
  ],
  [
    'a rate of zero',
    `${MINIMAL}limits: {requestsPerSecond: 0}`,
    'acme.yaml:8: limits.requestsPerSecond must be more than 0',
  ],
  [
    'a wrong word',
    `${MINIMAL}evidence: some`,
    'acme.yaml:8: evidence must be one of full, pseudonymous, digest',
  ],
  ['no lists', `${MINIMAL}resources: []`, 'acme.yaml:8: resources must have at least 1 entry'],
  ['a missing key', MINIMAL.replace('  scope: a b\n', ''), 'acme.yaml:4: credentials.scope is missing'],
  ['a missing key at the top', MINIMAL.replace(/authUrl.*\n/, ''), 'acme.yaml:1: authUrl is missing'],
  [
    'an empty value',
    MINIMAL,
    'acme.yaml:6: credentials.clientSecret must not be empty (the environment variable SECRET is empty)',
    { env: { SECRET: '' } },
  ],
  [
    'a certificate without its key',
    `${MINIMAL}tls: {cert: a}`,
    'acme.yaml:8: tls.key is missing: it is required with cert',
  ],
  [
    'a URL without a scheme',
    MINIMAL.replace('https://api', 'api'),
    'acme.yaml:3: baseUrl must be a URL that begins with https:// or http:// and names a host',
  ],
  [
    'another scheme',
    MINIMAL.replace('https://api', 'ftp://api'),
    'acme.yaml:3: baseUrl must be a URL that begins with https:// or http:// and names a host',
  ],
  [
    'a broken URL',
    MINIMAL.replace('https://api.acme.example', 'https://api:99999'),
    'acme.yaml:3: baseUrl is not a URL',
  ],
  [
    'a query',
    MINIMAL.replace('api.acme.example', 'api.acme.example/?a=b'),
    'acme.yaml:3: baseUrl must not have a query',
  ],
  [
    'an empty fragment',
    MINIMAL.replace('api.acme.example', 'api.acme.example/#'),
    'acme.yaml:3: baseUrl must not have a fragment',
  ],
  [
    'userinfo',
    MINIMAL.replace('api.acme.example', 'u:p@api.acme.example'),
    'acme.yaml:3: baseUrl must not hold a user name or password',
  ],
  [
    'empty userinfo',
    MINIMAL.replace('api.acme.example', '@api.acme.example'),
    'acme.yaml:3: baseUrl must not hold a user name or password',
  ],
  [
    'a path without a slash',
    `${MINIMAL}resources: [{name: a, path: v1/printers}]`,
    'acme.yaml:8: resources[0].path must begin with a slash and have no query, fragment or blank, such as /v1/printers',
  ],
  [
    'a path with a query',
    `${MINIMAL}resources: [{name: a, path: "/v1?a=b"}]`,
    'acme.yaml:8: resources[0].path must begin with a slash and have no query, fragment or blank, such as /v1/printers',
  ],
  [
    'two lists of one name',
    `${MINIMAL}resources:\n- {name: a, path: /printers}\n- {name: a, path: /b/printers}`,
    'acme.yaml:10: two resources have the name a; rename one of them',
  ],
  [
    'a list without a schema',
    `${MINIMAL}resources: [{name: a, path: /v1/units}]`,
    'acme.yaml:8: resources[0].itemSchema is missing: set it to printer (built in) or to a JSON Schema file',
  ],
  [
    'a schema that is not there',
    `${MINIMAL}resources: [{name: a, path: /a, itemSchema: ./a.json}]`,
    'acme.yaml:8: resources[0].itemSchema is neither built in (printer) nor a file: ./a.json',
  ],
  [
    'a header of our own',
    `${MINIMAL}headers: {authorization: x}`,
    'acme.yaml:8: headers.authorization is set by Assay; remove it',
  ],
  [
    'a tenant header',
    `${MINIMAL}headers: {TENANT: x}`,
    'acme.yaml:8: headers.TENANT is set by Assay; remove it; use tenant instead',
  ],
  [
    'an impossible header name',
    `${MINIMAL}headers: {"a b": x}`,
    'acme.yaml:8: headers has a name that HTTP does not allow: "a b"',
  ],
  [
    'a header of two lines',
    `${MINIMAL}headers: {A: "x\\r\\ny"}`,
    'acme.yaml:8: headers.A must be text that fits on one header line, without blanks around it',
  ],
  [
    'an authority that is not there',
    `${MINIMAL}tls: {ca: ./no.pem}`,
    'acme.yaml:8: tls.ca names a file that does not exist: ./no.pem',
  ],
  [
    'a module that is not there',
    `${MINIMAL}checks:\n- ./no.mjs`,
    'acme.yaml:9: checks[0] names a file that does not exist: ./no.mjs',
  ],
  [
    'a day that does not exist',
    `${MINIMAL}waivers: [{requirement: a, reason: b, until: 2027-02-30}]`,
    'acme.yaml:8: waivers[0].until is not a calendar day: 2027-02-30',
  ],
  [
    'a date of another shape',
    `${MINIMAL}waivers: [{requirement: a, reason: b, until: 31.3.2027}]`,
    'acme.yaml:8: waivers[0].until must be a day, such as 2027-03-31',
  ],
  [
    'a waiver without a reason',
    `${MINIMAL}waivers: [{requirement: a, until: 2027-03-31}]`,
    'acme.yaml:8: waivers[0].reason is missing',
  ],
  ['a doubled key', `${MINIMAL}name: again`, 'acme.yaml:8: the YAML cannot be read: Map keys must be unique'],
  [
    'a bare reference in braces',
    `${MINIMAL}limits: {retries: \${MOST}}`,
    'acme.yaml:8: the YAML cannot be read: Unexpected flow-map-start at node end; put quotes around "${NAME}" inside { } and [ ]',
  ],
  ['no mapping', '- a\n- b', 'acme.yaml:1: a target file is a mapping of keys to values, such as name: acme'],
  [
    'nothing at all',
    '',
    'acme.yaml: the file is empty; if "assay mock > acme.yaml" writes it, run again once the mock prints "Serving"',
  ],
];
