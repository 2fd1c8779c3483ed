import { createInterface } from 'node:readline';
import { enumeration } from '../../report/wording/phrases.ts';
import { visible } from '../../report/wording/safe-text.ts';
import { TOKEN_PATH } from '../../target/warnings.ts';
import type { Arguments } from '../command.ts';
import type { Host } from '../host.ts';
import { texts } from '../shared/options/arguments.ts';
import { UsageError } from '../shared/process/exit-status.ts';

interface Ask {
  /**
   * Asks until the answer is valid; an empty answer means `fallback`.
   *
   * @param read parses the answer; throws UsageError, whose sentence is shown before the question is repeated
   * @throws UsageError if the input ends
   */
  until<Value>(question: string, fallback: string | null, read: (answer: string) => Value): Promise<Value>;
  close(): void;
}

const DEFAULT_PATH = '/v1/printers';

/** A list to test. */
export interface ListAnswer {
  readonly name: string;
  readonly path: string;
  /** `printer`, which is built in, or the name of a schema file next to the target file. */
  readonly schema: string;
}

/** The content of a target file. */
export interface Answers {
  readonly name: string;
  readonly authUrl: string;
  readonly baseUrl: string;
  /** Null if the header is not sent. */
  readonly tenant: string | null;
  readonly lists: readonly ListAnswer[];
}

/** Parses one answer. Throws UsageError with a sentence for the user if it is invalid. */
type Parse<Value> = (answer: string) => Value;

/**
 * The answers from the options; missing ones are requested on a terminal.
 *
 * @throws UsageError for an invalid option, or if a required one is missing and there is no terminal
 */
export async function answersOf(args: Arguments, host: Host): Promise<Answers> {
  const ask = asker(host);
  if (ask === null) expectRequired(args);
  try {
    if (ask !== null)
      host.err.write(
        'Secrets are not asked for: they stay in the environment. Press Enter to accept the value in brackets.\n\n',
      );
    const entered = await answerOf(args, 'base-url', ask, {
      question: 'Base URL of the lists: GET {URL}/v1/printers',
      read: (text) => urlOf(text, DEFAULT_PATH),
      fallback: null,
    });
    const authUrl = await answerOf(args, 'auth-url', ask, {
      question: 'Base URL for tokens: POST {URL}/connect/token',
      read: (text) => urlOf(text, TOKEN_PATH),
      fallback: entered,
    });
    const lists = await listsOf(args, ask);
    const baseUrl = urlOf(entered, lists[0]?.path ?? '');
    const tenant = await answerOf(args, 'tenant', ask, {
      question: 'Value of the Tenant header; empty for no header',
      read: (text) => (text === '' ? null : tenantOf(text)),
      fallback: '',
    });
    const name = await answerOf(args, 'name', ask, {
      question: 'Name of the target in reports',
      read: nameOf,
      fallback: new URL(baseUrl).hostname,
    });
    return { name, authUrl, baseUrl, tenant, lists };
  } finally {
    ask?.close();
  }
}

/** Options that have no default. */
const REQUIRED = ['base-url', 'auth-url'];

/** Throws UsageError that names every required option that is missing. */
function expectRequired(args: Arguments): void {
  const missing = REQUIRED.filter((name) => args[name] === undefined).map((name) => `--${name}`);
  if (missing.length === 0) return;
  const [verb, them, what] = missing.length === 1 ? ['is', 'it', 'an option'] : ['are', 'them', 'options'];
  throw new UsageError(
    `${enumeration(missing)} ${verb} missing, and there is no terminal to ask for ${them}: pass ${them} as ${what}`,
  );
}

interface Question<Value> {
  readonly question: string;
  readonly read: Parse<Value>;
  /** Default for an empty answer; null if an answer is required. */
  readonly fallback: string | null;
}

async function answerOf<Value>(
  args: Arguments,
  flag: string,
  ask: Ask | null,
  { question, read, fallback }: Question<Value>,
): Promise<Value> {
  const given = args[flag];
  if (given !== undefined) return read(String(given).trim());
  if (ask === null) return read(fallback ?? '');
  return ask.until(question, fallback, read);
}

async function listsOf(args: Arguments, ask: Ask | null): Promise<readonly ListAnswer[]> {
  const fallback = `printers=${DEFAULT_PATH}`;
  const given = texts(args, 'list');
  if (given.length > 0) return distinct(given.map(listOf));
  if (ask === null) return [listOf(fallback)];
  return ask.until('Which lists? NAME=PATH, separated by commas', fallback, (text) =>
    distinct(text.split(',').map((part) => listOf(part.trim()))),
  );
}

function listOf(text: string): ListAnswer {
  const [, name = '', path = ''] = /^([\w.-]+)=(\/[^\s?#]*[^\s?#/])$/u.exec(text) ?? [];
  if (name === '')
    throw new UsageError(`a list is written NAME=PATH, as printers=/v1/printers, not "${text}"`);
  return { name, path, schema: path.endsWith('/printers') ? 'printer' : `${name}.schema.json` };
}

function distinct(lists: readonly ListAnswer[]): readonly ListAnswer[] {
  const duplicate = lists.find(
    ({ name }, index) => lists.findIndex((other) => other.name === name) !== index,
  );
  if (duplicate !== undefined)
    throw new UsageError(`two lists have the name ${duplicate.name}; rename one of them`);
  return lists;
}

/** A base URL. Users copy complete URLs from a manual, so a known path at the end is removed. */
function urlOf(text: string, end: string): string {
  const trimmed = text.replace(/\/+$/u, '');
  const base = (end !== '' && trimmed.endsWith(end) ? trimmed.slice(0, -end.length) : trimmed).replace(
    /\/+$/u,
    '',
  );
  const url = URL.canParse(base) ? new URL(base) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || !/^https?:\/\//u.test(base))
    throw new UsageError(`"${text}" is not a URL that begins with https:// or http://`);
  if (url.username !== '' || url.password !== '')
    throw new UsageError('the URL must not contain a user name or password');
  if (/[?#]/u.test(base)) throw new UsageError('the URL must have no query and no fragment');
  return base;
}

function tenantOf(text: string): string {
  if (/^[\u0021-\u007e]([\u0020-\u007e]*[\u0021-\u007e])?$/u.test(text)) return text;
  throw new UsageError('a tenant must be text that fits on one header line');
}

function nameOf(text: string): string {
  if (text !== '' && text.length <= 100 && !/[\u0000-\u001f\u007f]/u.test(text)) return text;
  throw new UsageError('a name must have 1 to 100 characters');
}

/** Asks on the terminal, which provides line editing; null without a terminal. */
function asker({ in: input, err }: Host): Ask | null {
  const stream = input();
  if (!err.live || stream.isTTY !== true) return null;
  const lines = createInterface({ input: stream, terminal: false });
  const answers = lines[Symbol.asyncIterator]();
  return {
    until: async (question, fallback, read) => {
      for (;;) {
        err.write(`${question}${fallback === null || fallback === '' ? '' : ` [${fallback}]`}: `);
        const { value, done } = await answers.next();
        if (done === true) {
          err.write('\n');
          throw new UsageError('the input ended before the last answer; nothing was written');
        }
        const answer = String(value).trim();
        try {
          if (answer === '' && fallback === null) throw new UsageError('an answer is required');
          return read(answer === '' ? (fallback ?? '') : answer);
        } catch (error) {
          if (!(error instanceof UsageError)) throw error;
          err.write(`  ${visible(error.message)}\n`);
        }
      }
    },
    close: () => lines.close(),
  };
}
