import { readFileSync } from 'node:fs';
import { packageFile } from '../../src/core/package-file.ts';
import { type Page, page, plain, table } from './markdown.ts';

/** The JSON Schema keywords that the shipped file schemas use. */
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

/** A reference page of all keys of a file, generated from its JSON Schema. */
export function schemaPage(path: string, name: string, pageText: PageText): Page {
  const root = JSON.parse(readFileSync(packageFile(`schemas/${name}.schema.json`), 'utf8')) as Schema;
  return page(path, `schemas/${name}.schema.json`, [
    `# ${pageText.title}`,
    pageText.intro,
    plain(root.description ?? ''),
    ...section({ root, definitionPaths: new Map() }, root, ''),
  ]);
}

/** The root schema, and the path where each definition is first described. */
interface SchemaPage {
  readonly root: Schema;
  readonly definitionPaths: Map<string, string>;
}

function section(context: SchemaPage, schema: Schema, path: string): readonly string[] {
  const members = Object.entries(schema.properties ?? {}).filter(([key]) => key !== '$schema');
  const below = (key: string): string => (path === '' ? key : `${path}.${key}`);
  const parts = members.map(([key, member]) => {
    const place = below(key);
    const earlier = member.$ref === undefined ? undefined : context.definitionPaths.get(member.$ref);
    const inner = earlier === undefined ? innerSections(context, member, place) : [];
    if (member.$ref !== undefined && inner.length > 0) context.definitionPaths.set(member.$ref, place);
    const required = schema.required?.includes(key) === true;
    return { row: row(context.root, key, member, { required, earlier }), inner };
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

function innerSections(context: SchemaPage, member: Schema, path: string): readonly string[] {
  const schema = resolved(context.root, member);
  if (schema.properties !== undefined) return section(context, schema, path);
  if (schema.items === undefined) return [];
  const items = resolved(context.root, schema.items);
  return items.properties === undefined ? [] : section(context, items, `${path}[]`);
}

function row(
  root: Schema,
  key: string,
  member: Schema,
  { required, earlier }: { readonly required: boolean; readonly earlier: string | undefined },
): readonly string[] {
  const schema = resolved(root, member);
  const defaultValue = schema.default;
  return [
    `\`${key}\``,
    `${kindOf(root, schema)}${earlier === undefined ? '' : `, as \`${earlier}\``}`,
    required
      ? '**required**'
      : defaultValue === undefined
        ? ''
        : `\`${JSON.stringify(defaultValue).replaceAll('"', '')}\``,
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
  const bounds = [
    minimum === undefined ? '' : `from ${amount(minimum)}`,
    exclusiveMinimum === undefined ? '' : `above ${amount(exclusiveMinimum)}`,
    maximum === undefined ? '' : `to ${amount(maximum)}`,
    exclusiveMaximum === undefined ? '' : `below ${amount(exclusiveMaximum)}`,
  ].filter((word) => word !== '');
  return bounds.length === 0 ? '' : `, ${bounds.join(' ')}`;
}

function amount(value: number): string {
  return value.toLocaleString('en-US');
}

/** The schema with its reference resolved; its own members take precedence over those of the definition. */
function resolved(root: Schema, schema: Schema): Schema {
  const name = schema.$ref?.replace('#/$defs/', '');
  return name === undefined ? schema : { ...root.$defs?.[name], ...schema };
}
