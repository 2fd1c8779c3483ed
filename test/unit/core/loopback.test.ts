import { describe, expect, it } from 'vitest';
import { isLoopback } from '../../../src/core/exchange.ts';

describe('loopback', () => {
  it.each([
    'http://localhost',
    'http://api.localhost:8080',
    'http://127.0.0.1',
    'http://127.8.9.1:1',
    'http://[::1]:2',
  ])('is %s', (url) => expect(isLoopback(new URL(url))).toBe(true));

  it.each([
    'http://127.evil.example',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://128.0.0.1',
  ])('is not %s', (url) => expect(isLoopback(new URL(url))).toBe(false));
});
