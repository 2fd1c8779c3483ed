import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeKey, TokenStore } from '../../../src/playwright/token-store.ts';
import { formsOf, found } from '../../support/hostile/traces-of.ts';

const TOKEN = 'live-token.0123456789_abcdefghij';
let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'assay-tokens-'));
  file = path.join(folder, 'tokens');
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('the tokens that workers share', () => {
  it('are read with the key of the run alone, and lie on disk in no readable form', () => {
    const environment: NodeJS.ProcessEnv = {};
    makeKey(environment);
    new TokenStore(file, environment).keep(TOKEN, false);
    expect(new TokenStore(file, environment).read()).toEqual([{ token: TOKEN, altered: false }]);
    const written = readFileSync(file);
    expect(found('the store', written, new Map([['the token', formsOf(TOKEN, null)]]))).toEqual([]);
    makeKey(environment);
    expect(() => new TokenStore(file, environment).read()).toThrow();
  });
});
