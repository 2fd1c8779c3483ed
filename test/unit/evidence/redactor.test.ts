import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/exchange.ts';
import { Redactor } from '../../../src/evidence/redaction/redactor.ts';

const SECRET = 's3cr+t/=?&\'"<ü €\\%41~';

function knowing(secret: string, label = 'client-secret'): Redactor {
  const redactor = new Redactor();
  redactor.add(secret, label);
  return redactor;
}

function percentAll(text: string, upper: boolean): string {
  return [...Buffer.from(text)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .map((hex) => `%${upper ? hex.toUpperCase() : hex}`)
    .join('');
}

function unicodeEscaped(text: string): string {
  return [...text]
    .flatMap((character) => character.split(''))
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

const inHtml = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;').replace(/'/g, '&#x27;');

/** RFC 4648, section 6, without padding. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('');
}

const FORMS: { readonly [name: string]: (secret: string) => string } = {
  plain: (secret) => secret,
  encodeURIComponent,
  'encodeURIComponent in lower case': (secret) =>
    encodeURIComponent(secret).replace(/%../g, (triplet) => triplet.toLowerCase()),
  'form-encoded': (secret) => new URLSearchParams([['', secret]]).toString().slice(1),
  'encoded twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'every byte encoded, upper case': (secret) => percentAll(secret, true),
  'every byte encoded, lower case': (secret) => percentAll(secret, false),
  'JSON-escaped': (secret) => JSON.stringify(secret).slice(1, -1),
  'JSON-escaped with escaped slashes': (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  'JSON-escaped to ASCII': unicodeEscaped,
  'JSON in JSON': (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  'HTML-escaped': inHtml,
  'as decimal HTML entities': (secret) => secret.replace(/./gu, (letter) => `&#${letter.codePointAt(0)};`),
  'as hexadecimal HTML entities': (secret) =>
    secret.replace(/./gu, (letter) => `&#x${letter.codePointAt(0)?.toString(16)};`),
  'with bytes as \\xNN': (secret) =>
    [...Buffer.from(secret)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
  'with characters as %uNNNN': (secret) => unicodeEscaped(secret).replaceAll('\\', '%'),
  'quoted-printable': (secret) =>
    [...Buffer.from(secret)].map((byte) => `=${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
  'quoted-printable on several lines': (secret) =>
    secret.replaceAll('=', '=3D').replace(/^.../u, (beginning) => `${beginning}=\r\n`),
  'in lower case': (secret) => secret.toLowerCase(),
  'in upper case': (secret) => secret.toUpperCase(),
  base32: (secret) => base32(Buffer.from(secret)),
  'base32 in lower case': (secret) => base32(Buffer.from(secret)).toLowerCase(),
  base64: (secret) => Buffer.from(secret).toString('base64'),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
};

describe('Redactor', () => {
  it.each(Object.entries(FORMS))('removes a secret %s', (_name, form) => {
    const text = `before ${form(SECRET)} after, and "again": "${form(SECRET)}"`;
    const redacted = knowing(SECRET).redact(text);
    expect(redacted.replace(/=+/g, '')).toBe('before [client-secret] after, and "again": "[client-secret]"');
  });

  it('removes any secret of six characters or more in every form', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 6, maxLength: 60 }),
        fc.constantFrom(...Object.keys(FORMS)),
        fc.constantFrom('', ' ', '"', '=', 'x', '/'),
        (secret, name, edge) => {
          const form = (FORMS[name] ?? String)(secret);
          const redacted = knowing(secret, '#').redact(`${edge}${form}${edge}`);
          expect(redacted).toContain('[#]');
          if (!'[#]==x/"'.includes(form)) expect(redacted).not.toContain(form);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('removes Basic credentials, and base64 of texts that contain the secret', () => {
    const redactor = new Redactor();
    redactor.add('correct horse battery', 'client-secret');
    redactor.addBasic('id', 'short', 'basic');
    for (let before = 0; before < 6; before += 1) {
      const text = `${'x'.repeat(before)}correct horse battery${'y'.repeat(before)}`;
      const redacted = redactor.redact(Buffer.from(text).toString('base64'));
      expect(redacted).toContain('[client-secret]');
      expect(Buffer.from(redacted.replace('[client-secret]', ''), 'base64').toString()).not.toContain(
        'horse',
      );
    }
    expect(redactor.redact(`Basic ${Buffer.from('id:short').toString('base64')}`)).toMatch(
      /^Basic \[basic\]=*$/,
    );
  });

  it('removes a secret with any of its characters as named HTML entities', () => {
    const redactor = knowing('a+b/c=d&é<ü>');
    for (const text of ['a&plus;b&sol;c&equals;d&amp;&eacute;&lt;&uuml;&gt;', 'a+b&#47;c=d&amp;é&lt;ü>'])
      expect(redactor.redact(`<p>${text}</p>`)).toBe('<p>[client-secret]</p>');
  });

  it('removes base32 of texts that contain the secret', () => {
    const redactor = knowing('correct horse battery');
    for (let before = 0; before < 6; before += 1) {
      const text = `${'x'.repeat(before)}correct horse battery${'y'.repeat(before)}`;
      expect(redactor.redact(base32(Buffer.from(text)))).toMatch(/^.{0,10}\[client-secret\].{0,10}$/);
    }
  });

  it('uses the own label of a secret that equals another one in a different letter case', () => {
    const redactor = knowing('some-secret');
    expect(redactor.redact('SOME-SECRET')).toBe('[client-secret]');
    redactor.add('SOME-SECRET', 'altered');
    expect(redactor.redact('some-secret SOME-SECRET')).toBe('[client-secret] [altered]');
  });

  it('replaces overlapping secrets together by the label of the longest', () => {
    const redactor = new Redactor();
    redactor.add('secret-one', 'short');
    redactor.add('secret-one-and-more', 'long');
    redactor.add('more-of-another', 'other');
    expect(redactor.redact('x secret-one y')).toBe('x [short] y');
    expect(redactor.redact('x secret-one-and-more y')).toBe('x [long] y');
    expect(redactor.redact('x secret-one-and-more-of-another y')).toBe('x [long] y');
  });

  it('removes a short secret only as a whole word', () => {
    const redactor = new Redactor();
    redactor.add('abc', 'secret');
    redactor.add('z', 'tiny');
    redactor.add('', 'nothing');
    const text = 'abc abcd xabc "abc" =abc& a-bc abc-d z zz "z"';
    const expected = '[secret] abcd xabc "[secret]" =[secret]& a-bc abc-d [tiny] zz "[tiny]"';
    expect(redactor.redact(text)).toBe(expected);
  });

  it('keeps a word of the API where it is one, and in sentences', () => {
    const redactor = new Redactor();
    redactor.add('secret', 'client-secret');
    expect(redactor.redact('client_id=a&client_secret=secret')).toBe(
      'client_id=a&client_secret=[client-secret]',
    );
    expect(redactor.redact('client_secret=ed')).toBe('client_secret=ed');
    expect(redactor.redactWords('without a secret')).toBe('without a secret');
  });

  it('returns the same text if it contains no secret', () => {
    const text = 'nothing \ud800 here %zz \\u12 \\';
    expect(knowing('a-long-secret').redact(text)).toBe(text);
    const bytes = new Uint8Array([0xff, 0xfe, 0x25]);
    expect(knowing('a-long-secret').redactBytes(bytes)).toBe(bytes);
  });

  it('finds secrets in bytes that are not UTF-8, and in UTF-16', () => {
    const redactor = knowing('a-long-secret');
    const bytes = Buffer.concat([
      Buffer.from([0xff, 0xc3]),
      Buffer.from('a-long-secret'),
      Buffer.from([0xff]),
    ]);
    expect(Buffer.from(redactor.redactBytes(bytes)).toString('latin1')).toBe('\xff\xc3[client-secret]\xff');
    const utf16 = Buffer.from('{"x":"a-long-secret"}', 'utf16le');
    expect(Buffer.from(redactor.redactBytes(utf16)).includes(Buffer.from('long', 'utf16le'))).toBe(false);
    expect(Buffer.from(redactor.redactBytes(utf16.swap16())).includes('[client-secret]')).toBe(true);
    const foreign = Buffer.from('{"x":"mot-de-passé-été"}', 'utf16le');
    for (const text of [foreign, Buffer.from(foreign).swap16()])
      expect(Buffer.from(knowing('mot-de-passé-été').redactBytes(text)).includes('[client-secret]')).toBe(
        true,
      );
  });

  it('finds a secret that a folded header line breaks', () => {
    const redactor = knowing('abcdefghijklmnop');
    expect(redactor.redact('X: abcdefgh\r\n ijklmnop;')).toBe('X: [client-secret];');
  });

  it('finds secrets at any offset of a large body', () => {
    const redactor = knowing('a-long-secret/with-more');
    redactor.add('tiny', 'tiny');
    const secrets = ['a-long-secret/with-more', 'a%2Dlong%2dsecret%2fwith-more', '"tiny"'];
    for (const at of [1_048_560, 1_048_575, 1_048_576, 1_048_577, 2_097_140]) {
      for (const secret of secrets) {
        const before = 'x'.repeat(at);
        const redacted = redactor.redact(`${before}${secret}${'y'.repeat(100)}%`);
        expect(redacted.slice(at).replace(/y+%/, '')).toMatch(/^\[client-secret\]$|^"\[tiny\]"$/);
      }
      expect(redactor.redact(`${'x'.repeat(at)}tiny`)).toMatch(/xtiny$/);
    }
  });

  it('numbers tokens in order, once each', () => {
    const redactor = new Redactor();
    expect(redactor.addToken('first-token')).toBe('token-1');
    expect(redactor.addToken('second-token')).toBe('token-2');
    expect(redactor.addToken('first-token')).toBe('token-1');
    expect(redactor.redact('second-token first-token')).toBe('[token-2] [token-1]');
  });

  it('is fast for a page of 60 KB and thirty secrets', () => {
    const redactor = new Redactor();
    for (let index = 0; index < 30; index += 1)
      redactor.add(`eyJhbGciOiJSUzI1NiJ9.${index}`.repeat(20), `s${index}`);
    const item = { id: 'f81d4fae-7dec-11d0', displayName: 'Printer', agent: 'agent' };
    const page = JSON.stringify({
      items: Array.from({ length: 700 }, () => item),
      nextPageLink: '/v1?%24skip=1',
    });
    let same = 0;
    for (let round = 0; round < 200; round += 1) same += redactor.redact(page) === page ? 1 : 0;
    expect(same).toBe(200);
  });
});

function exchange(parts: { headers?: [string, string][]; target?: string; answer?: string }): Exchange {
  return {
    number: 1,
    request: {
      method: 'POST',
      origin: 'https://login.example',
      target: parts.target ?? '/connect/token',
      headers: parts.headers ?? [],
      body: 'client_secret=my-client%2Dsecret',
    },
    answer: {
      status: 200,
      statusText: 'my-client-secret',
      httpVersion: '1.1',
      headers: [['X-Echo', 'my-client -secret']],
      body: Buffer.from(parts.answer ?? ''),
      bodyBytesOnWire: 1,
    },
    failure: null,
    startedAt: 0,
    firstByteMs: 1,
    durationMs: 2,
    connection: 1,
    retry: 0,
  };
}

describe('redactExchange', () => {
  it('removes secrets from every part', () => {
    const redactor = knowing('my-client-secret');
    const recorded = redactor.redactExchange(exchange({ target: '/my-client-secret' }));
    expect(recorded.request.target).toBe('/[client-secret]');
    expect(recorded.request.body).toBe('client_secret=[client-secret]');
    expect(recorded.answer?.statusText).toBe('[client-secret]');
    expect(recorded.answer?.headers).toEqual([['X-Echo', '[client-secret]']]);
  });

  it('recognises an altered copy by its first or last six characters', () => {
    const redactor = knowing('abcdefGHIJKLmnopqr', 'token-1');
    const authorization = (value: string): string | undefined => {
      const request = { method: 'GET', origin: 'https://a.example', target: '/', body: null };
      const headers = [['Authorization', `Bearer ${value}`]] as const;
      const exchange = { request: { ...request, headers }, answer: null, failure: null };
      return redactor.redactExchange(exchange as unknown as Exchange).request.headers[0]?.[1];
    };
    expect(authorization('abcdef-another-end')).toBe('Bearer [altered-token-1]');
    expect(authorization('another-begin-MNOPQR')).toBe('Bearer [altered-token-2]');
    expect(authorization('abcde-both-short-nopqr')).toBe('Bearer abcde-both-short-nopqr');
  });

  it('removes an altered copy of a known token, and keeps other credentials', () => {
    const redactor = new Redactor();
    redactor.addToken('abcdefghijklmnopqrstuvwxyz');
    const headers: [string, string][] = [
      ['Authorization', 'Bearer abcdefghijkl_nopqrstuvwxyz'],
      ['authorization', 'bearer ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
      ['Authorization', 'Bearer not-a-token'],
      ['Authorization', 'Bearer'],
      ['Authorization', 'Bearer abcdefghijklmnopqrstuvwxyz'],
    ];
    const recorded = redactor.redactExchange(exchange({ headers }));
    expect(recorded.request.headers.map(([, value]) => value)).toEqual([
      'Bearer [altered-token-1]',
      'bearer [altered-token-2]',
      'Bearer not-a-token',
      'Bearer',
      'Bearer [token-1]',
    ]);
  });
});
