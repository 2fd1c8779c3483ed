import type { Arguments } from '../command.ts';
import type { Host } from '../host.ts';
import { texts } from '../shared/arguments.ts';
import { UsageError } from '../shared/usage-error.ts';
import { type Ask, asker } from './question.ts';

/** A list to judge. */
export interface ListAnswer {
  readonly name: string;
  readonly path: string;
  /** `printer`, which is built in, or the name of a schema file beside the target file. */
  readonly schema: string;
}

/** What a target file is made from. */
export interface Answers {
  readonly name: string;
  readonly authUrl: string;
  readonly baseUrl: string;
  /** Null where the header is not sent. */
  readonly tenant: string | null;
  readonly lists: readonly ListAnswer[];
}

/** Reads one answer, and says in one sentence what is wrong with it by throwing UsageError. */
type Reading<Value> = (answer: string) => Value;

/**
 * The answers, from flags first; what they leave out is asked for on a terminal.
 *
 * @throws UsageError where there is no terminal and a needed flag is missing, and for a flag that is wrong
 */
export async function answersOf(args: Arguments, host: Host): Promise<Answers> {
  const ask = asker(host);
  try {
    if (ask !== null)
      host.err.write(
        'Secrets are not asked for: they stay in the environment. Enter takes what stands in brackets.\n\n',
      );
    const authUrl = await one(args, 'auth-url', ask, {
      question: 'Where are tokens issued? POST {this}/connect/token',
      read: (text) => urlOf(text, '/connect/token'),
      usual: null,
    });
    const lists = await listsOf(args, ask);
    const baseUrl = await one(args, 'base-url', ask, {
      question: `Where are the lists? GET {this}${lists[0]?.path ?? ''}`,
      read: (text) => urlOf(text, lists[0]?.path ?? ''),
      usual: authUrl,
    });
    const tenant = await one(args, 'tenant', ask, {
      question: 'Value of the Tenant header, if one is sent',
      read: (text) => (text === '' ? null : tenantOf(text)),
      usual: '',
      optional: true,
    });
    const name = await one(args, 'name', ask, {
      question: 'What shall reports call it?',
      read: nameOf,
      usual: new URL(baseUrl).hostname,
      optional: true,
    });
    return { name, authUrl, baseUrl, tenant, lists };
  } finally {
    ask?.close();
  }
}

interface Question<Value> {
  readonly question: string;
  readonly read: Reading<Value>;
  /** Taken where nothing is answered; null where an answer is needed. */
  readonly usual: string | null;
  /** Whether it may be left out where nobody can be asked. */
  readonly optional?: boolean;
}

async function one<Value>(
  args: Arguments,
  flag: string,
  ask: Ask | null,
  { question, read, usual, optional = false }: Question<Value>,
): Promise<Value> {
  const given = args[flag];
  if (given !== undefined) return read(String(given).trim());
  if (ask === null) {
    if (optional && usual !== null) return read(usual);
    throw new UsageError(`--${flag} is missing, and there is no terminal to ask on`);
  }
  return ask.until(question, usual, read);
}

async function listsOf(args: Arguments, ask: Ask | null): Promise<readonly ListAnswer[]> {
  const usual = 'printers=/v1/printers';
  const given = texts(args, 'list');
  if (given.length > 0) return distinct(given.map(listOf));
  if (ask === null) return [listOf(usual)];
  return ask.until('Which lists? NAME=PATH, separated by commas', usual, (text) =>
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
  const twice = lists.find(({ name }, index) => lists.findIndex((other) => other.name === name) !== index);
  if (twice !== undefined) throw new UsageError(`two lists are called ${twice.name}`);
  return lists;
}

/** A base URL. People copy whole addresses from a manual: a known end is taken off. */
function urlOf(text: string, end: string): string {
  const whole = text.replace(/\/+$/u, '');
  const base = (end !== '' && whole.endsWith(end) ? whole.slice(0, -end.length) : whole).replace(/\/+$/u, '');
  const url = URL.canParse(base) ? new URL(base) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || !/^https?:\/\//u.test(base))
    throw new UsageError(`"${text}" is not a URL that begins with https:// or http://`);
  if (url.username !== '' || url.password !== '')
    throw new UsageError('the URL must not hold a user name or password');
  if (/[?#]/u.test(base)) throw new UsageError('the URL must have no query and no fragment');
  return base;
}

function tenantOf(text: string): string {
  if (/^[\u0021-\u007e]([\u0020-\u007e]*[\u0021-\u007e])?$/u.test(text)) return text;
  throw new UsageError('a tenant is text that fits on one header line');
}

function nameOf(text: string): string {
  if (text !== '' && text.length <= 100 && !/[\u0000-\u001f\u007f]/u.test(text)) return text;
  throw new UsageError('a name has 1 to 100 characters');
}
