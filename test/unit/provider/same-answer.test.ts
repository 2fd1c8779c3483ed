import { describe, expect, it } from 'vitest';
import { identitiesOf } from '../../../src/provider/identity.ts';
import { type ListAnswer, sameAnswer } from '../../../src/provider/page.ts';

const PAGE = {
  kind: 'page',
  status: 200,
  itemCount: 2,
  identities: identitiesOf(['a', 'b']),
  count: 3,
  exactCount: null,
  link: '/v1/printers?$count=true&$skip=2',
} as unknown as ListAnswer;

function changed(more: object): ListAnswer {
  return { ...PAGE, ...more } as ListAnswer;
}

describe('two answers to the same question', () => {
  it('show the same data regardless of links: a changing link does not excuse a wrong one', () => {
    for (const link of ['/v1/printers?$count=true&$skip=9', '/v1/printers?cursor=2', undefined])
      expect(sameAnswer(PAGE, changed({ link }))).toBe(true);
  });

  it('show different data if count, records or their order differ', () => {
    for (const more of [
      { count: 4 },
      { count: undefined },
      { identities: identitiesOf(['b', 'a']) },
      { itemCount: 3, identities: identitiesOf(['a', 'b', 'c']) },
      { kind: 'refused', status: 500 },
    ])
      expect(sameAnswer(PAGE, changed(more))).toBe(false);
  });
});
