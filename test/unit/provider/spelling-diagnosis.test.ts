import { expect, it } from 'vitest';
import { spellingDiagnosis } from '../../../src/provider/diagnosis.ts';

it.each([
  ['/v1/printers?$skip=1', 'https://api.acme.example', '/v1/printers/', 'resources[0].path'],
  ['https://api.acme.example/v1/printers', 'https://api.acme.example', '/V1/Printers', 'resources[0].path'],
  ['/int/api/v1/printers', 'https://api.acme.example/Int/API', '/v1/printers', 'baseUrl'],
  // The path of the specification is no mistake of the target file.
  ['/V1/PRINTERS', 'https://api.acme.example', '/v1/printers', null],
  ['/v1/printers/', 'https://api.acme.example', '/v1/printers', null],
  ['/v1/agents', 'https://api.acme.example', '/v1/printers/', null],
  ['https://other.example/v1/printers', 'https://api.acme.example', '/v1/printers/', null],
])('a reference to %s, for %s and the path %s, shows a misspelled %s', (reference, baseUrl, path, key) => {
  const resources = [{ name: 'printers', path, itemSchema: 'printer', idField: 'id' }];
  const cause = spellingDiagnosis(reference, { baseUrl, places: {}, resources })?.cause ?? null;
  expect(cause).toEqual(key === null ? null : { kind: 'configuration', key });
});
