import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { jsonText } from '../../core/json-text.ts';
import { packageFile } from '../../core/package-file.ts';
import { DEFAULT_LIMITS } from '../../target/make.ts';
import type { Answers, ListAnswer } from './answers.ts';

/** Variables that the target file reads. */
export const VARIABLES: readonly string[] = ['ASSAY_CLIENT_ID', 'ASSAY_CLIENT_SECRET', 'ASSAY_SCOPE'];

/** Where an editor finds the schema of target files, from a folder: below node_modules where Assay lies there. */
export function schemaAddress(folder: string): string {
  const schema = packageFile('schemas/target.schema.json');
  const relative = path.relative(path.resolve(folder), schema).split(path.sep).join('/');
  const local = /^(\.\.\/)*node_modules\//u.test(relative);
  return local ? (relative.startsWith('.') ? relative : `./${relative}`) : pathToFileURL(schema).href;
}

/**
 * A target file with a comment on everything that can be set.
 *
 * @param file its name
 * @param schema where editors find the schema
 */
export function targetText(answers: Answers, file: string, schema: string): string {
  const { requestsPerSecond, concurrency, maxRequests } = DEFAULT_LIMITS;
  return `# yaml-language-server: $schema=${schema}
#
# A provider for Assay to judge:  assay doctor ${file}  then  assay run ${file}
# \${NAME} reads the environment. Secrets belong there and not in this file; .env.example names them.

# What reports call it.
name: ${scalar(answers.name)}

# Tokens come from POST {authUrl}/connect/token, lists from GET {baseUrl}{path}.
authUrl: ${scalar(answers.authUrl)}
baseUrl: ${scalar(answers.baseUrl)}

# Value of the Tenant header on list calls; without it the header is not sent.
${answers.tenant === null ? '# tenant: ${ASSAY_TENANT}' : `tenant: ${scalar(answers.tenant)}`}

credentials:
  clientId: \${ASSAY_CLIENT_ID}
  clientSecret: \${ASSAY_CLIENT_SECRET}
  scope: \${ASSAY_SCOPE}

# Credentials of a second provider let token/provider-isolation be judged; a certification needs them.
# otherCredentials:
#   clientId: \${OTHER_CLIENT_ID}
#   clientSecret: \${OTHER_CLIENT_SECRET}
#   scope: \${OTHER_SCOPE}

# A token that was valid once lets token/refused-after-expiry be judged without waiting an hour.
# expiredToken: \${EXPIRED_TOKEN}

# The lists to judge. itemSchema is printer, which is built in, or a JSON Schema file of yours; idField is the
# member of an item that identifies it.
resources:
${answers.lists.map(resource).join('\n')}

# Further headers of every list call.
# headers:
#   X-Correlation-Id: assay

# How hard Assay may press; these are the defaults.
# limits:
#   requestsPerSecond: ${requestsPerSecond}
#   concurrency: ${concurrency}
#   maxRequests: ${maxRequests}

# What a provider could mind: wrong secrets (at most three in a row), and other methods than GET.
# probes:
#   wrongCredentials: 6
#   methods: false

# How much of the answers the evidence keeps: full, pseudonymous or digest.
# evidence: full

# Certificates, as PEM files from this folder: an authority to trust, and a client certificate.
# tls:
#   ca: ./ca.pem

# Deviations that somebody has agreed to: they stay failures and no longer decide the outcome.
# waivers:
#   - requirement: page-size/filled
#     reason: agreed deviation, ticket 4711
#     until: 2027-03-31
`;
}

function resource({ name, path: at, schema }: ListAnswer): string {
  const file = schema === 'printer' ? schema : `./${schema}`;
  return `  - name: ${scalar(name)}\n    path: ${scalar(at)}\n    itemSchema: ${scalar(file)}\n    idField: id`;
}

// What is no plain word or URL stands in the quotes of JSON, which YAML reads as well.
function scalar(text: string): string {
  const literal = text.replaceAll('${', '$${');
  return /^(https?:\/\/|\.?\/)?[A-Za-z][\w./:-]*$/u.test(literal) &&
    !/^(true|false|null|yes|no|on|off|y|n)$|:$/iu.test(literal)
    ? literal
    : JSON.stringify(literal);
}

/** The variables that a target needs, to be filled in by whoever copies it; quoted, because scopes hold blanks. */
export function envExample(): string {
  return `# Copy this to .env, fill in what the provider's support issued to you, and put it into the environment with
#   set -a; . ./.env; set +a
# The copy holds a secret: keep it out of version control.
${VARIABLES.map((name) => `${name}=''`).join('\n')}
`;
}

/** A JSON Schema to begin with, for the items of a list. */
export function itemSchema(name: string): string {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `An item of the list ${name}`,
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' } },
  };
  return `${jsonText(schema)}\n`;
}
