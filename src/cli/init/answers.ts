import { createInterface } from 'node:readline';
import { withoutTrailing } from '../../core/text.ts';
import { enumeration, visible } from '../../report/wording/phrases.ts';
import { TOKEN_PATH } from '../../target/warnings.ts';
import { type Arguments, type Host, UsageError } from '../command.ts';
import { texts } from '../shared/options.ts';

const DEFAULT_PATH = '/v1/printers';

export interface ListAnswer {
  readonly name: string;
  readonly path: string;
  /** `printer`, which is built in, or the name of a schema file next to the target file. */
  readonly schema: string;
}

export interface Answers {
  readonly name: string;
  readonly authUrl: string;
  readonly baseUrl: string;
  /** Null if the header is not sent. */
  readonly tenant: string | null;
  readonly lists: readonly ListAnswer[];
}

interface Question<Value> {
  /** The option that answers it. */
  readonly option: string;
  readonly question: string;
  /** Default for an empty answer; null if an answer is required. */
  readonly fallback: string | null;
  /** Parses the answer; throws UsageError with a sentence for the user if it is invalid. */
  readonly read: (answer: string) => Value;
}

/** The answers from the options; missing ones are requested on a terminal. */
export async function answersOf(args: Arguments, host: Host): Promise<Answers> {
  const terminal = openTerminal(host);
  if (terminal === null) expectRequired(args);
  else
    host.err.write(
      'Secrets are not asked for: they stay in the environment. Press Enter to accept the value in brackets.\n\n',
    );
  const answerTo = async <Value>(question: Question<Value>): Promise<Value> => {
    const { option, fallback, read } = question;
    const given = Array.isArray(args[option]) ? texts(args, option).join(',') : args[option];
    if (given !== undefined) return read(String(given).trim());
    return terminal === null ? read(fallback ?? '') : terminal.ask(question);
  };
  try {
    const entered = await answerTo({
      option: 'base-url',
      question: 'Base URL of the lists: GET {URL}/v1/printers',
      fallback: null,
      read: (text) => urlOf(text, DEFAULT_PATH),
    });
    const authUrl = await answerTo({
      option: 'auth-url',
      question: 'Base URL for tokens: POST {URL}/connect/token',
      fallback: entered,
      read: (text) => urlOf(text, TOKEN_PATH),
    });
    const lists = await answerTo({
      option: 'list',
      question: 'Which lists? NAME=PATH, separated by commas',
      fallback: `printers=${DEFAULT_PATH}`,
      read: (text) => distinct(text.split(',').map((part) => listOf(part.trim()))),
    });
    const baseUrl = urlOf(entered, lists[0]?.path ?? '');
    const tenant = await answerTo({
      option: 'tenant',
      question: 'Value of the Tenant header; empty for no header',
      fallback: '',
      read: (text) => (text === '' ? null : tenantOf(text)),
    });
    const name = await answerTo({
      option: 'name',
      question: 'Name of the target in reports',
      fallback: new URL(baseUrl).hostname,
      read: nameOf,
    });
    return { name, authUrl, baseUrl, tenant, lists };
  } finally {
    terminal?.close();
  }
}

const REQUIRED = ['base-url', 'auth-url'];

function expectRequired(args: Arguments): void {
  const missing = REQUIRED.filter((name) => args[name] === undefined).map((name) => `--${name}`);
  if (missing.length === 0) return;
  const [verb, them, what] = missing.length === 1 ? ['is', 'it', 'an option'] : ['are', 'them', 'options'];
  throw new UsageError(
    `${enumeration(missing)} ${verb} missing, and there is no terminal to ask for ${them}: pass ${them} as ${what}`,
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
  const trimmed = withoutTrailing(text, '/');
  const isComplete = end !== '' && trimmed.endsWith(end);
  const base = withoutTrailing(isComplete ? trimmed.slice(0, -end.length) : trimmed, '/');
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

/** The terminal, which provides line editing; null if there is none. */
function openTerminal({ in: input, err }: Host) {
  const stream = input();
  if (!err.live || stream.isTTY !== true) return null;
  const lines = createInterface({ input: stream, terminal: false });
  const answers = lines[Symbol.asyncIterator]();
  return {
    /** Asks until the answer is valid. Throws UsageError if the input ends. */
    ask: async <Value>({ question, fallback, read }: Question<Value>): Promise<Value> => {
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
