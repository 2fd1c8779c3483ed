import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../../core/files.ts';
import { jsonText } from '../../core/json-text.ts';
import { packageFile } from '../../core/package-file.ts';
import { describeSystemError } from '../../core/system-error.ts';
import { enumeration } from '../../report/wording/phrases.ts';
import { DEFAULT_LIMITS } from '../../target/make.ts';
import { type Arguments, EXIT, type ExitStatus, type Host, UsageError } from '../command.ts';
import { writeNewFile } from '../shared/new-file.ts';
import { commandLine, flag } from '../shared/options.ts';
import { type Answers, answersOf, type ListAnswer } from './answers.ts';

interface Written {
  readonly file: string;
  readonly state: 'written' | 'kept';
}

export async function performInit(args: Arguments, host: Host): Promise<ExitStatus> {
  const file = args['file'] === undefined ? 'assay.yaml' : String(args['file']);
  const force = flag(args, 'force');
  if (!/\.ya?ml$/u.test(file))
    throw new UsageError(`assay init writes YAML: name the file ${path.parse(file).name}.yaml`);
  if (existsSync(file) && !force) throw new UsageError(`${file} exists already; --force overwrites it`);
  const answers = await answersOf(args, host);
  const written = write(file, answers, force);
  const missing = missingVariables(path.join(path.dirname(file), '.env.example'));
  const next = `assay doctor ${commandLine([file])}`;
  if (flag(args, 'json')) {
    host.out.write(`${jsonText({ files: written, variables: VARIABLES, next })}\n`);
    return EXIT.ok;
  }
  for (const { file: name, state } of written)
    host.out.write(state === 'written' ? `Wrote ${name}\n` : `Kept ${name} unchanged\n`);
  if (missing.length > 0) host.out.write(`Add the missing variables to it: ${enumeration(missing)}\n`);
  const copy = ['.env.example', '.env'].map((name) => path.join(path.dirname(file), name));
  host.out.write(
    [
      '',
      'Next:',
      `  ${commandLine(['cp', ...copy])}   # fill in your credentials; keep .env out of version control`,
      `  ${next}`,
      '',
    ].join('\n'),
  );
  return EXIT.ok;
}

// The target file is written last, so that a failure leaves no target file without its schema.
function write(file: string, answers: Answers, force: boolean): readonly Written[] {
  const folder = path.dirname(file);
  const inFolder = (name: string): string => path.join(folder, name);
  try {
    makeFolder(folder);
  } catch (error) {
    throw new UsageError(`the folder ${folder} cannot be made: ${describeSystemError(error)}`);
  }
  const schemas = answers.lists
    .filter(({ schema }) => schema !== 'printer')
    .map(({ name, schema }) => put(inFolder(schema), itemSchema(name), force));
  const env = put(inFolder('.env.example'), envExample(), force);
  const target = put(file, targetText(answers, path.basename(file), schemaLocation(folder)), force);
  return [target, env, ...schemas];
}

function put(file: string, content: string, force: boolean): Written {
  if (existsSync(file) && !force) return { file, state: 'kept' };
  writeNewFile(file, content);
  return { file, state: 'written' };
}

function missingVariables(file: string): readonly string[] {
  const content = readFileSync(file, 'utf8');
  return VARIABLES.filter((name) => !content.includes(name));
}

const VARIABLES: readonly string[] = ['ASSAY_CLIENT_ID', 'ASSAY_CLIENT_SECRET', 'ASSAY_SCOPE'];

const SCHEMA = 'schemas/target.schema.json';

/**
 * The location of the target schema for editors, valid on any machine: the relative path if Assay is part of the same
 * project (in node_modules, or its own checkout), otherwise the path after `npm install` in the folder.
 */
export function schemaLocation(folder: string): string {
  const installed = `node_modules/assay/${SCHEMA}`;
  const from = path.resolve(folder);
  for (let above = from; ; above = path.dirname(above)) {
    const found = [installed, ...(above === packageFile('') ? [SCHEMA] : [])]
      .map((name) => path.join(above, name))
      .find(existsSync);
    if (found !== undefined) return relativeUrl(from, found);
    if (above === path.dirname(above)) return `./${installed}`;
  }
}

function relativeUrl(from: string, file: string): string {
  const relative = path.relative(from, file).split(path.sep).join('/');
  return relative.startsWith('.') ? relative : `./${relative}`;
}

/** `schema` is the location of the schema for editors. */
function targetText(answers: Answers, file: string, schema: string): string {
  const { requestsPerSecond, concurrency, maxRequests } = DEFAULT_LIMITS;
  return `# yaml-language-server: $schema=${schema}
#
# A target of Assay. Check it with  assay doctor ${file}  and test it with  assay run ${file}
# \${NAME} reads the environment, or .env beside this file. Keep secrets there; .env.example lists them.

# Name in reports.
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

# Credentials of a second provider, to test token/provider-isolation. A certification needs them.
# otherCredentials:
#   clientId: \${OTHER_CLIENT_ID}
#   clientSecret: \${OTHER_CLIENT_SECRET}
#   scope: \${OTHER_SCOPE}

# An expired token, to test token/refused-after-expiry without waiting an hour.
# expiredToken: \${EXPIRED_TOKEN}

# The lists to test. itemSchema is printer, which is built in, or your own JSON Schema file; idField is the member that
# identifies an item.
resources:
${answers.lists.map(resource).join('\n')}

# Additional headers of every list call.
# headers:
#   X-Correlation-Id: assay

# Limits of the load that Assay causes; these are the defaults.
# limits:
#   requestsPerSecond: ${requestsPerSecond}
#   concurrency: ${concurrency}
#   maxRequests: ${maxRequests}

# Probes that a provider may not allow: wrong secrets (at most three in a row), and methods other than GET.
# probes:
#   wrongCredentials: 6
#   methods: false

# What the evidence keeps of answers: full, pseudonymous or digest.
# evidence: full

# Certificates as PEM files, relative to this folder: an authority to trust, and a client certificate.
# tls:
#   ca: ./ca.pem

# Agreed deviations: they remain failures but do not decide the outcome.
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

// Everything except a plain word or URL is quoted as JSON, which is valid YAML.
function scalar(text: string): string {
  const literal = text.replaceAll('${', '$${');
  return /^(https?:\/\/|\.?\/)?[A-Za-z][\w./:-]*$/u.test(literal) &&
    !/^(true|false|null|yes|no|on|off|y|n)$|:$/iu.test(literal)
    ? literal
    : JSON.stringify(literal);
}

/** The variables that a target needs, without values; quoted, because scopes contain blanks. */
function envExample(): string {
  return `# Copy this file to .env and fill in the credentials that the provider issued to you. Assay reads .env beside
# the target file. The copy contains a secret: keep it out of version control.
${VARIABLES.map((name) => `${name}=''`).join('\n')}
`;
}

/** A JSON Schema for the items of a list; the user extends it. */
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
