import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { COMPILED_SCHEMAS, compileInto } from '../../../../scripts/compiled-schemas.ts';
import { packageFile } from '../../../../src/core/package-file.ts';
import { validatorIn } from '../../../../src/core/schemas/shipped-schema.ts';

// Inside the checkout, so that compiled validators find their dependencies.
const cache = packageFile('.cache');
mkdirSync(cache, { recursive: true });
const compiled = mkdtempSync(path.join(cache, 'assay-schemas-'));
compileInto(compiled);
afterAll(() => rmSync(compiled, { recursive: true, force: true }));

const require = createRequire(import.meta.url);
const values: readonly unknown[] = [
  null,
  [],
  {},
  { items: [], count: -1 },
  { items: [], count: null, nextPageLink: 'v1/printers' },
  { id: 'a', displayName: 'b', agent: null },
  { id: 'a', displayName: 'b', agent: 'c', more: 1 },
  { access_token: '', expires_in: 3600, token_type: 'Bearer', scope: '' },
  { access_token: 'a', expires_in: 3600, token_type: 'Bearer', scope: '' },
  { authUrl: 'ftp://x', baseUrl: 'https://x.example', credentials: {}, limits: { concurrency: 0 }, nmae: 1 },
  { format: 'assay-results/1', run: { startedAt: 'yesterday' } },
];

describe('schemas compiled ahead', () => {
  it.each(COMPILED_SCHEMAS)('%s accepts the same values as the schema compiled at run time', (name) => {
    const ahead = validatorIn(compiled, name);
    const now = validatorIn(path.join(compiled, 'nowhere'), name);
    expect(ahead).toBe(require(path.join(compiled, `${name}.cjs`)));
    expect(now).not.toBe(ahead);
    for (const value of values) {
      expect([value, ahead(value)]).toEqual([value, now(value)]);
      expect(ahead.errors ?? null).toEqual(
        now.errors?.map((error) => ({ ...error, schemaPath: undefined })) ?? null,
      );
    }
  });

  it('are not used if the schema text differs', () => {
    const stale = path.join(compiled, 'stale');
    mkdirSync(stale);
    writeFileSync(
      path.join(stale, 'printer.cjs'),
      'exports.default = () => true;\nexports.source = "other";\n',
    );
    expect(validatorIn(stale, 'printer')({})).toBe(false);
  });
});
