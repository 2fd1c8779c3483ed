import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { allure2, junitXml } from '@allurereport/reader';
import type { RawTestResult, ResultsReader } from '@allurereport/reader-api';
import { PathResultFile } from '@allurereport/reader-api';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { SaxesParser } from 'saxes';
import { packageFile } from '../../../src/core/package-file.ts';

const load = createRequire(import.meta.url);
// Both schemas predate strict mode of ajv; one has a pattern that is invalid with the flag u.
const LENIENT = { allErrors: true, strict: false, unicodeRegExp: false } as const;

/** Validation errors of a JSON text; empty if it is valid. */
type Complaints = (json: string) => readonly string[];

function complaintsOf(valid: ValidateFunction): Complaints {
  return (json) => {
    valid(JSON.parse(json));
    return (valid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}

/** Validates against schemas/results.schema.json. */
export function resultsReader(): Complaints {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  addFormats.default(ajv);
  return complaintsOf(
    ajv.compile(JSON.parse(readFileSync(packageFile('schemas/results.schema.json'), 'utf8')) as object),
  );
}

/**
 * Validates against the JSON Schema of SARIF 2.1.0. It is draft 4, but uses only keywords that later drafts
 * share.
 */
export function sarifReader(): Complaints {
  const place = load.resolve('@microsoft/jest-sarif').replace(/index\.js$/u, '');
  const text = readFileSync(`${place}schemas/sarif-2.1.0-rtm.5.json`, 'utf8');
  if (text.includes('"exclusiveM')) throw new Error('draft 4 means something else by this');
  const { $schema: _, id: __, ...schema } = JSON.parse(text) as Record<string, unknown>;
  const ajv = new Ajv(LENIENT);
  addFormats.default(ajv);
  return complaintsOf(ajv.compile(schema));
}

/** Validates against the JSON Schema of HAR 1.2. */
export function harReader(): Complaints {
  const ajv = new Ajv(LENIENT);
  addFormats.default(ajv);
  ajv.addMetaSchema(load('ajv/dist/refs/json-schema-draft-06.json') as object);
  ajv.addSchema(Object.values(load('har-schema') as Record<string, object>));
  const valid = ajv.getSchema('har.json#');
  if (valid === undefined) throw new Error('har-schema has no har.json');
  return complaintsOf(valid);
}

/** Reads a file, or every file of a results folder, with Allure's own reader. */
export async function readByAllure(
  kind: 'allure' | 'junit',
  files: readonly string[],
): Promise<AllureReading> {
  const reader: ResultsReader = kind === 'allure' ? allure2 : junitXml;
  const reading: AllureReading = { tests: [], metadata: [], attachments: [], unread: [] };
  const visitor: Parameters<ResultsReader['read']>[0] = {
    visitTestResult: async (test) => void reading.tests.push(test),
    visitMetadata: async (metadata) => void reading.metadata.push(...Object.keys(metadata)),
    visitAttachmentFile: async (file) => void reading.attachments.push(file.getOriginalFileName()),
    visitTestFixtureResult: async () => undefined,
    visitCheckResult: async () => undefined,
    visitMetrics: async () => undefined,
    visitGlobals: async () => undefined,
  };
  for (const file of files) {
    const read = await reader.read(visitor, new PathResultFile(file));
    if (!read) reading.unread.push(file);
  }
  return reading;
}

/** Data that the reader accepted. */
interface AllureReading {
  readonly tests: RawTestResult[];
  readonly metadata: string[];
  readonly attachments: string[];
  /** Files that the reader rejected. */
  readonly unread: string[];
}

/** Records of a CSV file (RFC 4180); throws on a misplaced quote. */
export function readCsv(text: string): readonly (readonly string[])[] {
  const field = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/uy;
  const records: string[][] = [];
  let record: string[] = [];
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const [, value = '', end] = field.exec(text) ?? [];
    if (end === undefined) throw new Error(`no field at character ${at}`);
    record.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value);
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  return records;
}

interface Kind {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly children: readonly string[];
}

const TIMES = ['time'];
const SAID = { required: [], optional: ['type', 'message'], children: [] };
const KINDS: Readonly<Record<string, Kind>> = {
  testsuites: {
    required: [],
    optional: ['name', 'tests', 'failures', 'errors', ...TIMES],
    children: ['testsuite'],
  },
  testsuite: {
    required: ['name', 'tests', 'failures', 'errors'],
    optional: ['skipped', 'timestamp', 'hostname', 'id', 'package', 'file', 'group', 'log', 'url', ...TIMES],
    children: ['testsuite', 'properties', 'testcase', 'system-out', 'system-err'],
  },
  properties: { required: [], optional: [], children: ['property'] },
  property: { required: ['name', 'value'], optional: [], children: [] },
  testcase: {
    required: ['name'],
    optional: ['classname', 'group', ...TIMES],
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
  },
  skipped: SAID,
  error: SAID,
  failure: SAID,
  'system-out': { required: [], optional: [], children: [] },
  'system-err': { required: [], optional: [], children: [] },
};

/** Violations of the JUnit schema of Jenkins' xunit plugin: elements, attributes, times. */
export function junitComplaints(xml: string): readonly string[] {
  const complaints: string[] = [];
  const open: string[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => complaints.push(error.message));
  parser.on('opentag', ({ name, attributes }) => {
    const parent = open.at(-1);
    const kind = KINDS[name];
    if (kind === undefined) complaints.push(`unknown element ${name}`);
    if (parent !== undefined && KINDS[parent]?.children.includes(name) !== true)
      complaints.push(`${name} in ${parent}`);
    for (const attribute of kind?.required ?? [])
      if (attributes[attribute] === undefined) complaints.push(`${name} lacks ${attribute}`);
    for (const [attribute, value] of Object.entries(attributes)) {
      if (![...(kind?.required ?? []), ...(kind?.optional ?? [])].includes(attribute))
        complaints.push(`${name} has ${attribute}`);
      if (attribute === 'time' && !/^\d+(?:\.\d+)?$/u.test(value)) complaints.push(`time ${value}`);
    }
    open.push(name);
  });
  parser.on('closetag', () => open.pop());
  parser.write(xml).close();
  return complaints;
}
