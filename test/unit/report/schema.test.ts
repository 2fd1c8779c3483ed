import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { packageFile } from '../../../src/core/package-file.ts';
import type { Results } from '../../../src/core/results.ts';
import { hostile, judged, mixed, results, target, violation } from '../../support/report/sample.ts';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
addFormats.default(ajv);
const valid: ValidateFunction = ajv.compile(
  JSON.parse(readFileSync(packageFile('schemas/results.schema.json'), 'utf8')) as object,
);

/** Validation errors of a value after conversion to JSON. */
function complaints(value: unknown): readonly string[] {
  valid(JSON.parse(JSON.stringify(value)));
  return (valid.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

function withFirst(change: (one: ReturnType<typeof judged>) => object): unknown {
  const base = results([target([judged('link/offset', 'fail')])]);
  const [first] = base.targets;
  return { ...base, targets: [{ ...first, requirements: first?.requirements.map(change) }] };
}

describe('results.schema.json', () => {
  test.each<[string, Results]>([
    ['with every verdict', mixed()],
    ['hostile', hostile()],
    ['empty', results([])],
    ['uncounted', results([target([], { records: { printers: null } })])],
    ['incomplete', results([target([judged('count/present', 'pass')])], { complete: false })],
  ])('accepts results that are %s', (_name, value) => {
    expect(complaints(value)).toEqual([]);
  });

  test('rejects unknown members at every level', () => {
    expect(complaints({ ...mixed(), more: 1 })).not.toEqual([]);
    expect(complaints(withFirst((one) => ({ ...one, more: 1 })))).not.toEqual([]);
    expect(
      complaints(withFirst((one) => ({ ...one, violations: [{ ...violation(), more: 1 }] }))),
    ).not.toEqual([]);
  });

  test('requires a reason for every verdict except pass', () => {
    expect(complaints(withFirst((one) => ({ ...one, reason: null })))).not.toEqual([]);
    const passed = { verdict: 'pass', violations: [] };
    expect(complaints(withFirst((one) => ({ ...one, ...passed, reason: null })))).toEqual([]);
    expect(complaints(withFirst((one) => ({ ...one, ...passed })))).not.toEqual([]);
  });

  test('requires clauses, except for custom checks', () => {
    expect(complaints(withFirst((one) => ({ ...one, clause: [] })))).not.toEqual([]);
    expect(complaints(withFirst((one) => ({ ...one, id: 'x/mine', clause: [] })))).toEqual([]);
  });

  test('requires a proof for failures only', () => {
    expect(complaints(withFirst((one) => ({ ...one, violations: [] })))).not.toEqual([]);
    expect(complaints(withFirst((one) => ({ ...one, verdict: 'inconclusive' })))).not.toEqual([]);
  });
});
