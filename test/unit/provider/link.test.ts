import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalQuery, parametersOf, readLink } from '../../../src/provider/link.ts';

const address = { origin: 'https://api.example', basePath: '', listPath: '/v1/printers', longestLink: 8192 };
const below = { ...address, basePath: '/int' };
const query = '$count=true&$pagesize=7&$skip=7';

describe('readLink', () => {
  it.each([
    [`/v1/printers?${query}`, address, `/v1/printers?${query}`],
    [`v1/printers?${query}`, address, `/v1/printers?${query}`],
    [`printers?${query}`, address, `/v1/printers?${query}`],
    [`./printers?${query}`, address, `/v1/printers?${query}`],
    [`?${query}`, address, `/v1/printers?${query}`],
    [`/v1/printers?${query}`, below, `/int/v1/printers?${query}`],
    [`/int/v1/printers?${query}`, below, `/int/v1/printers?${query}`],
    [`v1/printers?${query}`, below, `/int/v1/printers?${query}`],
    ['/v1/printers?%24count=true&%24skip=7', address, '/v1/printers?%24count=true&%24skip=7'],
    [`/v1/%70rinters?${query}`, address, `/v1/%70rinters?${query}`],
    [`/v1/printers?${query}#part`, address, `/v1/printers?${query}`],
  ])('follows %s', (link, from, target) => {
    expect(readLink(link, from)).toMatchObject({ kind: 'relative', target });
  });

  it.each([
    'https://api.example/v1/printers?$skip=7',
    '//api.example/v1/printers?$skip=7',
    'https://API.example:443/v1/printers?$skip=7',
  ])('treats %s as absolute, but followable', (link) => {
    expect(readLink(link, address)).toMatchObject({ kind: 'absolute', target: '/v1/printers?$skip=7' });
  });

  it.each([
    'https://evil.example/v1/printers?$skip=7',
    'http://api.example/v1/printers?$skip=7',
    'https://api.example:8443/v1/printers?$skip=7',
    '//evil.example/v1/printers',
    'https://api.example@evil.example/v1/printers',
    'https://user@api.example/v1/printers',
    '\\\\evil.example\\v1\\printers',
    '/\t/evil.example/v1/printers',
    '/printers?$skip=7',
    '/v1/printers/?$skip=7',
    '/v1/printers/.?$skip=7',
    '/v1/printers/x/..?$skip=7',
    'https://api.example/v1/printers/%2E?$skip=7',
    'printers/.?$skip=7',
    '/v2/printers?$skip=7',
    '/v1/../printers?$skip=7',
    '../printers?$skip=7',
    'file:///v1/printers',
    'javascript:alert(1)',
    `/v1/printers?x=${'y'.repeat(9000)}`,
  ])('does not follow %s', (link) => {
    expect(readLink(link, address).kind).toBe('unusable');
  });

  it.each(['/v1/./printers', '/../v1/printers', '/v1/x/../printers'])(
    'follows %s without its dots',
    (path) => {
      expect(readLink(`${path}?$skip=7`, address)).toMatchObject({
        kind: 'relative',
        target: '/v1/printers?$skip=7',
      });
    },
  );

  it('follows dots at the end to a list path that ends in a slash', () => {
    const slash = { ...address, listPath: '/v1/printers/' };
    for (const path of ['/v1/printers/.', '/v1/printers/x/..', '.'])
      expect(readLink(`${path}?$skip=7`, slash)).toMatchObject({ target: '/v1/printers/?$skip=7' });
    expect(readLink('/v1/printers?$skip=7', slash).kind).toBe('unusable');
  });

  it('names the host and the port of a link that lacks // before them', () => {
    const link = readLink('api.example:8443/v1/printers?$skip=7', address);
    expect(link).toMatchObject({ kind: 'unusable', why: expect.stringContaining('api.example:8443') });
  });

  it('never leads to another origin, for any link', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc
            .constantFrom('//', '/\\', 'https:', '@', '\\')
            .chain((start) => fc.webUrl().map((url) => start + url)),
        ),
        (link) => {
          const read = readLink(link, address);
          if (read.kind === 'unusable') return;
          expect(read.target).toMatch(/^\/[!-~]*$/);
          expect(new URL(address.origin + read.target).pathname).toBe('/v1/printers');
        },
      ),
    );
  });
});

describe('parametersOf', () => {
  it('decodes names and values once', () => {
    expect(parametersOf('?%24count=true&$skip=1&%2524skip=2&flag')).toEqual([
      { name: '$count', value: 'true' },
      { name: '$skip', value: '1' },
      { name: '%24skip', value: '2' },
      { name: 'flag', value: '' },
    ]);
  });

  it('identifies a page by any spelling of its URL', () => {
    expect(canonicalQuery('/v1/printers?$skip=7&%24count=true')).toBe(
      canonicalQuery('/v1/printers?$count=true&$skip=7'),
    );
    expect(canonicalQuery('/v1/printers?$skip=7')).not.toBe(canonicalQuery('/v1/printers?$skip=14'));
  });
});
