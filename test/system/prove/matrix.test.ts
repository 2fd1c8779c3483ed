import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { suite } from '../../../specs/suite.ts';
import { packageFile } from '../../../src/core/package-file.ts';
import type { Check } from '../../../src/judge/check.ts';
import { renderProveHtml } from '../../../src/report/prove/prove-page.tsx';
import { renderProveMatrix, renderProveTerminal } from '../../../src/report/prove/prove-terminal.ts';
import { proveHere } from '../../support/prove.ts';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
addFormats.default(ajv);
const valid = ajv.compile(
  JSON.parse(readFileSync(packageFile('schemas/prove.schema.json'), 'utf8')) as object,
);

function complaints(value: unknown): readonly string[] {
  valid(JSON.parse(JSON.stringify(value)));
  return (valid.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

/** The suite without a check, or with one that always passes and has no oracle. */
function spoilt(id: string, how: 'removed' | 'always passes'): readonly Check[] {
  return suite.flatMap((check) => {
    if (check.requirement.id !== id) return [check];
    const { pageRule: _, ...blind } = check;
    return how === 'removed' ? [] : [{ ...blind, judge: async ({ exercised }) => exercised() }];
  });
}

describe('assay prove', () => {
  it('finds defects and clears variants, in a result that matches its schema', async () => {
    const results = await proveHere({ only: ['item-id-*', 'living-halved', 'living-burst'] });
    expect(results.proven).toBe(true);
    expect(results.totals.defects.total).toBeGreaterThan(1);
    expect(results.totals.variants.total).toBe(2);
    expect(complaints(results)).toEqual([]);
    const first = results.defects[0];
    expect(complaints({ ...results, defects: [{ ...first, more: 1 }] })).not.toEqual([]);
    expect(renderProveTerminal(results, { colour: false, page: null, quiet: false })).toMatch(/^PROVEN {2}/);
    expect(renderProveHtml(results)).toContain("default-src 'none'");
    const lines = renderProveMatrix(results).trimEnd().split('\n');
    expect(lines).toHaveLength(results.defects.length + results.variants.length);
    expect(lines).toContainEqual(expect.stringMatching(/^killed {2}item-\S+ +list\/items$/u));
    expect(lines).toContain('cleared  living-halved');
  });

  it.each([
    ['link/offset', 'skip-one-too-many'],
    ['token/secret', 'secret-unchecked'],
    ['count/stable', 'count-other-on-linked-pages'],
  ])('fails when the check of %s is removed, or always passes', async (id, defect) => {
    expect((await proveHere({ only: [defect] })).proven).toBe(true);
    for (const how of ['removed', 'always passes'] as const) {
      const results = await proveHere({ only: [defect], checks: spoilt(id, how) });
      expect(results.proven, how).toBe(false);
      expect(results.defects[0]?.fate, how).toBe('escaped');
      expect(results.defects[0]?.escaped.map(({ requirement }) => requirement)).toEqual([id]);
      expect(complaints(results)).toEqual([]);
      expect(renderProveTerminal(results, { colour: false, page: null, quiet: false })).toContain(
        `escaped  ${defect}: ${id}`,
      );
    }
  });

  it('fails if a check falsely fails a variant or another provider', async () => {
    const accusing = suite.map((check) =>
      check.requirement.id === 'count/present'
        ? {
            ...check,
            judge: suite.find((one) => one.requirement.id === 'link/relative')?.judge ?? check.judge,
          }
        : check,
    );
    const results = await proveHere({ only: ['link-absolute', 'living-halved'], checks: accusing });
    expect(results.defects[0]?.fate).toBe('false');
    expect(results.defects[0]?.falselyFailed.map(({ requirement }) => requirement)).toEqual([
      'count/present',
    ]);
    expect(results.variants[0]?.fate).toBe('cleared');
    expect(results.proven).toBe(false);
  });

  it('rejects unknown identifiers', async () => {
    await expect(proveHere({ only: ['link-absolut'] })).rejects.toThrow('did you mean "link-absolute"?');
  });

  it('stops cleanly when it is interrupted', async () => {
    const results = await proveHere({ only: ['count/*'], signal: AbortSignal.abort() });
    expect(results).toMatchObject({ proven: false, defects: [], run: { complete: false } });
    expect(complaints(results)).toEqual([]);
  });

  it('escapes the texts of a result', async () => {
    const results = await proveHere({ only: ['living-halved'] });
    const hostile = { ...results, run: { ...results.run, command: '<script>alert(1)</script>\u001b[2J' } };
    const page = renderProveHtml(hostile);
    expect(page).not.toContain('<script>');
    expect(page).not.toContain('\u001b');
  });
});
