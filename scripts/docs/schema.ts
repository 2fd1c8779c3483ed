import { readFileSync } from 'node:fs';
import { packageFile } from '../../src/core/package-file.ts';
import { type Page, page, plain, table } from './markdown.ts';

/** The part of JSON Schema that the schemas of files use. */
interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

/** Title and introduction of a page. */
interface PageText {
  readonly title: string;
  readonly intro: string;
}

/** A reference page of every key that a file may have, made from its JSON Schema. */
export function schemaPage(path: string, name: string, words: PageText): Page {
  const root = JSON.parse(readFileSync(packageFile(`schemas/${name}.schema.json`), 'utf8')) as Schema;
  return page(path, `schemas/${name}.schema.json`, [
    `# ${words.title}`,
    words.intro,
    plain(root.description ?? ''),
    ...section({ root, definitionPaths: new Map() }, root, ''),
  ]);
}

/** The root schema, and the path where each definition is described first. */
interface SchemaPage {
  readonly root: Schema;
  readonly definitionPaths: Map<string, string>;
}

function section(telling: SchemaPage, schema: Schema, path: string): readonly string[] {
  const members = Object.entries(schema.properties ?? {}).filter(([key]) => key !== '$schema');
  const below = (key: string): string => (path === '' ? key : `${path}.${key}`);
  const parts = members.map(([key, member]) => {
    const place = below(key);
    const earlier = member.$ref === undefined ? undefined : telling.definitionPaths.get(member.$ref);
    const inner = earlier === undefined ? innerSections(telling, member, place) : [];
    if (member.$ref !== undefined && inner.length > 0) telling.definitionPaths.set(member.$ref, place);
    const required = schema.required?.includes(key) === true;
    return { row: row(telling.root, key, member, { required, earlier }), inner };
  });
  return [
    ...(path === '' ? [] : [`## ${path}`]),
    table(
      ['key', 'value', 'default', 'meaning'],
      parts.map((part) => part.row),
    ),
    ...parts.flatMap(({ inner }) => inner),
  ];
}

function innerSections(telling: SchemaPage, member: Schema, path: string): readonly string[] {
  const schema = resolved(telling.root, member);
  if (schema.properties !== undefined) return section(telling, schema, path);
  if (schema.items === undefined) return [];
  const items = resolved(telling.root, schema.items);
  return items.properties === undefined ? [] : section(telling, items, `${path}[]`);
}

function row(
  root: Schema,
  key: string,
  member: Schema,
  { required, earlier }: { readonly required: boolean; readonly earlier: string | undefined },
): readonly string[] {
  const schema = resolved(root, member);
  const usual = schema.default;
  return [
    `\`${key}\``,
    `${kindOf(root, schema)}${earlier === undefined ? '' : `, as \`${earlier}\``}`,
    required ? '**required**' : usual === undefined ? '' : `\`${JSON.stringify(usual).replaceAll('"', '')}\``,
    plain(schema.description ?? schema.title ?? ''),
  ];
}

function kindOf(root: Schema, schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${one}\``).join(', ');
  if (schema.type === 'array') return `list of ${kindOf(root, resolved(root, schema.items ?? {}))}`;
  if (schema.type === 'object') return schema.properties === undefined ? 'names and texts' : 'mapping';
  const names: Readonly<Record<string, string>> = {
    string: 'text',
    integer: 'whole number',
    number: 'number',
    boolean: 'true or false',
  };
  return `${names[schema.type ?? ''] ?? 'any'}${boundsOf(schema)}`;
}

function boundsOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): string {
  const words = [
    minimum === undefined ? '' : `from ${amount(minimum)}`,
    exclusiveMinimum === undefined ? '' : `above ${amount(exclusiveMinimum)}`,
    maximum === undefined ? '' : `to ${amount(maximum)}`,
    exclusiveMaximum === undefined ? '' : `below ${amount(exclusiveMaximum)}`,
  ].filter((word) => word !== '');
  return words.length === 0 ? '' : `, ${words.join(' ')}`;
}

function amount(value: number): string {
  return value.toLocaleString('en-US');
}

/** The schema with its reference resolved; members beside the reference win. */
function resolved(root: Schema, schema: Schema): Schema {
  const name = schema.$ref?.replace('#/$defs/', '');
  return name === undefined ? schema : { ...root.$defs?.[name], ...schema };
}
