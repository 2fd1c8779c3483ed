import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOrigin, mayContact } from '../../../src/http/request.ts';
import { get, rawServer, rig } from '../../support/http/support.ts';

const ALLOWED = [
  'https://api.acme.example',
  'http://127.0.0.1:8080',
  'https://[::1]:8443',
  'https://xn--bcher-kva.example',
];

const TRICKS = [
  'https://api.acme.example:443',
  'https://api.acme.example/',
  'https://api.acme.example.',
  'https://api.acme.example:',
  'HTTPS://api.acme.example',
  'https://API.acme.example',
  'https:api.acme.example',
  'https:/api.acme.example',
  'https:\\\\api.acme.example',
  'https://api.acme.example\\@evil.example',
  'https://api.acme.example@evil.example',
  'https://user@api.acme.example',
  'https://@api.acme.example',
  'https://api.acme.example#@evil.example',
  'https://api.acme.example?@evil.example',
  'https://api.acme.example%2eevil.example',
  'https://api.acme.example.evil.example',
  'https://evil.example/https://api.acme.example',
  '//api.acme.example',
  'api.acme.example',
  ' https://api.acme.example',
  'https://api.acme.example ',
  'https://api.acme\t.example',
  'ht\ntps://api.acme.example',
  'https://api.acme.example\0',
  'https://api\u3002acme\u3002example',
  'https://\uff41pi.acme.example',
  'https://bücher.example',
  'http://api.acme.example',
  'https://api.acme.example:444',
  'http://127.0.0.1',
  'http://127.1:8080',
  'http://0x7f.0.0.1:8080',
  'http://2130706433:8080',
  'http://127.0.0.1:08080',
  'http://localhost:8080',
  'https://[0:0:0:0:0:0:0:1]:8443',
  'https://[::ffff:127.0.0.1]:8443',
  'https://::1:8443',
  'file:///etc/passwd',
  'null',
  '',
  'javascript:alert(1)',
  'ws://127.0.0.1:8080',
  'blob:https://api.acme.example',
];

describe('mayContact', () => {
  it.each(ALLOWED)('allows %s unchanged', (origin) => {
    expect(mayContact(origin, ALLOWED)).toBe(true);
  });

  it.each(TRICKS)('rejects %j', (origin) => {
    expect(mayContact(origin, ALLOWED)).toBe(false);
  });

  it('allows no other origin, with any text before, after or in between', () => {
    const piece = fc.constantFrom(
      ...[
        '/',
        '\\',
        '@',
        ':',
        '?',
        '#',
        '.',
        '%',
        '\t',
        '\n',
        '\r',
        ' ',
        '\0',
        '[',
        ']',
        'a',
        '443',
        '%2e',
        '。',
        '／',
        '＠',
        '\u00ad',
      ],
      ...['evil.example', 'https://', '//', 'user:pass@', '127.0.0.1'],
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...ALLOWED),
        fc.array(fc.tuple(fc.nat({ max: 40 }), piece), { maxLength: 4 }),
        (origin, edits) => {
          const text = edits.reduce((at, [index, put]) => at.slice(0, index) + put + at.slice(index), origin);
          if (!mayContact(text, ALLOWED)) return;
          expect(ALLOWED).toContain(text);
          expect(new URL(text).origin).toBe(text);
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('rejects a listed text that is not an origin', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), fc.string(), fc.constantFrom(...TRICKS)), (text) => {
        if (mayContact(text, [text])) expect(new URL(text).origin).toBe(text);
      }),
      { numRuns: 2000 },
    );
    expect(isOrigin('null')).toBe(false);
    expect(mayContact('file://', ['file://'])).toBe(false);
  });
});

describe('a request to another origin', () => {
  it('ends before anything is sent, with a sentence that is safe to print', async () => {
    const server = await rawServer(() => {});
    const { client, exchanges } = rig(['https://api.acme.example']);
    const exchange = await client.send(get(server.origin));
    expect(exchange.failure).toEqual({
      code: 'forbidden-origin',
      message: `nothing was sent to ${server.origin}: Assay contacts only https://api.acme.example`,
    });
    expect(exchanges).toEqual([exchange]);
    const odd = await client.send(get(`http://evil\u001b[31m\n.example/${'x'.repeat(9000)}`));
    expect(odd.failure?.message).toMatch(/^[\x20-\x7e…]{1,300}$/);
    expect(server.connections).toHaveLength(0);
    expect(client.sentCount).toBe(0);
  });
});
