import { describe, expect, it } from 'vitest';
import { pathSpellings } from '../../../src/provider/path-spellings.ts';

function waysOf(listPath: string, all = true): readonly string[] {
  const { usual, further, rare } = pathSpellings({
    origin: 'https://api.example',
    basePath: '/int',
    listPath,
    longestLink: 8192,
  });
  return all ? [...usual, ...further, ...rare] : usual;
}

describe('spellings of a path', () => {
  it('begin with the most common ones', () => {
    expect(waysOf('/v1/printers', false)).toEqual([
      '/int/v1/printers/',
      '/int//v1//printers',
      '/int/V1/PRINTERS',
      '/int/%761/%70rinters',
      '/int/connect/../v1/./printers',
    ]);
  });

  it('escape only unescaped characters, and keep the path', () => {
    expect(waysOf('/v1/%C3%A9tages', false)).toContain('/int/%761/%C3%A9%74ages');
    for (const path of ['/v1/%C3%A9tages', '/%41%42', '/v%31'])
      expect(waysOf(path).filter((way) => way.includes('%25'))).toEqual([]);
  });

  it('are unique, and exclude the path itself', () => {
    for (const path of ['/printers', '/v1/printers', '/123', '/%41%42']) {
      const ways = waysOf(path);
      expect(ways).toEqual([...new Set(ways)]);
      expect(ways).not.toContain(`/int${path}`);
    }
  });

  it('depart in single segments in every way', () => {
    expect(waysOf('/v1/printers')).toEqual(
      expect.arrayContaining([
        '/int/%761/printers',
        '/int/v1/%70rinters',
        '/int/v1/%70%72%69%6e%74%65%72%73',
        '//int/v1/printers',
        '/int//v1/printers',
        '/int/v1/./printers',
        '/int/x/../v1/printers',
        '/int/v1/x/../printers',
      ]),
    );
  });

  it('write each segment in other letter case, also of the base path, at once and singly', () => {
    expect(waysOf('/v1/printers')).toEqual(
      expect.arrayContaining([
        '/INT/v1/printers',
        '/int/V1/printers',
        '/int/v1/PRINTERS',
        '/int/V1/PRINTERS',
        '/INT/V1/PRINTERS',
        '/int/v1/Printers',
      ]),
    );
  });
});
