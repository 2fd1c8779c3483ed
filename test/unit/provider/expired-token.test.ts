import { expect, it } from 'vitest';
import { whyNotExpired } from '../../../src/provider/expired-token.ts';

it.each([2e9, 9e15, Number.MAX_VALUE])('a token has not expired if its exp is %d', (exp) => {
  const [header, payload] = [{ alg: 'HS256' }, { exp }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  expect(whyNotExpired(`${header}.${payload}.c2lnbmF0dXJl`, 300, 1e12)).not.toBeNull();
});
