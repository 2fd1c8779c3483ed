import { existsSync, readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageFile } from '../../../src/core/package-file.ts';
import { openMock } from '../../support/judge-mock.ts';
import { fieldsOf, listRequest, send, tokenOf, tokenRequest } from '../../support/mock/client.ts';

const text = readFileSync(packageFile('schemas/openapi.yaml'), 'utf8');
const description = parse(text) as {
  readonly components: {
    readonly schemas: Readonly<Record<'TokenRequest' | 'PrinterPage', object>>;
    readonly parameters: Readonly<Record<string, { readonly name: string; readonly in: string }>>;
  };
};

/** The files referenced by the description. */
const FILES = ['list-envelope.schema.json', 'printer.schema.json', 'token-response.schema.json'];

function schemaNamed(name: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(packageFile(`schemas/${name}`), 'utf8'));
}

/** A schema of the description with its referenced files. */
function validates(schema: object, value: unknown): string {
  const ajv = new Ajv2020({ strict: false, formats: { password: true } });
  for (const name of FILES) ajv.addSchema(schemaNamed(name), name);
  const validate = ajv.compile(schema);
  validate(value);
  return ajv.errorsText(validate.errors);
}

describe('schemas/openapi.yaml', () => {
  test('is OpenAPI 3.1', async () => {
    const judged = async (one: string): Promise<{ readonly valid: boolean; readonly version: string }> => {
      const validator = new Validator();
      for (const name of FILES) await validator.addSpecRef(schemaNamed(name), name);
      const { valid } = await validator.validate(one);
      return { valid, version: validator.version };
    };
    expect(await judged(text)).toEqual({ valid: true, version: '3.1' });
    expect(await judged(text.replace('operationId: listPrinters', 'operationId: [a]'))).toMatchObject({
      valid: false,
    });
  });

  test('refers to schemas that exist', () => {
    const outside = [...text.matchAll(/\$ref: (?!'#)(\S+)/gu)].map(([, name = '']) => name);
    expect(outside.toSorted((one, other) => one.localeCompare(other))).toEqual(FILES);
    for (const name of outside) expect(existsSync(packageFile(`schemas/${name}`))).toBe(true);
  });

  test('describes the requests and answers of the reference provider', async () => {
    const mock = await openMock({ records: 20 });
    const fields = fieldsOf(mock.credentials);
    expect(validates(description.components.schemas.TokenRequest, fields)).toBe('No errors');
    const { text: token } = await send(mock, tokenRequest(fields));
    expect(validates({ $ref: 'token-response.schema.json' }, JSON.parse(token))).toBe('No errors');
    const asked = listRequest(mock, await tokenOf(mock), '?$count=true&$pagesize=5');
    const page = JSON.parse((await send(mock, asked)).text) as { items: object[] };
    const { PrinterPage } = description.components.schemas;
    expect(validates(PrinterPage, page)).toBe('No errors');
    expect(validates(PrinterPage, { ...page, items: [{ id: 1 }] })).not.toBe('No errors');
    const queries = Object.values(description.components.parameters).filter((one) => one.in === 'query');
    expect(queries.map(({ name }) => name)).toEqual(['$count', '$pagesize', '$skip']);
  });
});
