import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import standalone from 'ajv/dist/standalone/index.js';
import { SHIPPED, type ShippedSchema, schemaText, validatorOf } from '../src/core/schemas/shipped-schema.ts';
import { sha256 } from '../src/core/sha256.ts';

/**
 * The schemas that the build compiles. The scenario schema is left out to keep the package small: only `assay
 * mock --scenario` needs it.
 */
export const COMPILED_SCHEMAS = (Object.keys(SHIPPED) as readonly ShippedSchema[]).filter(
  (name) => name !== 'scenario',
);

/** What errors name that nobody reads, and what validators hand on for $data, which no schema has. */
const UNUSED =
  /schemaPath:"[^"]*",|,parentData:data\d*,parentDataProperty:(?:"[^"]*"|\w+),rootData(?=[,}])/gu;

/** Leaves out texts that a validator does not use; a property of that name has an object instead. */
function withoutTexts(name: string, value: unknown): unknown {
  return (name === 'title' || name === 'description') && typeof value === 'string' ? undefined : value;
}

/** Leaves out the parts of the schemas in the code of a validator that it does not read. */
function withUsedParts(code: string): string {
  return code.replaceAll(/const (schema\d+) = (\{.*?\});(?=const |function )/gsu, (_all, name, text) => {
    const reads = code.matchAll(new RegExp(`\\b${name}((?:\\.\\w+|\\[\\d+\\])+)`, 'gu'));
    const paths = [...reads].map(([, path = '']) => path.match(/\w+/gu) ?? []);
    return `const ${name} = ${JSON.stringify(usedPart(JSON.parse(text), paths))};`;
  });
}

type Part = Readonly<Record<string, unknown>>;

/** The members of a schema to which these paths lead; of `properties`, of which only names are read, without their values. */
function usedPart(schema: Part, paths: readonly (readonly string[])[]): Part {
  const part: Record<string, unknown> = {};
  for (const key of new Set(paths.flatMap(([first]) => first ?? []))) {
    const value = schema[key] as Part;
    const rest = paths.filter(([first]) => first === key).map(([, ...others]) => others);
    const isWhole = rest.some(({ length }) => length === 0);
    if (isWhole && key !== 'properties') part[key] = value;
    else
      part[key] = {
        ...(isWhole ? Object.fromEntries(Object.keys(value).map((name) => [name, 1])) : {}),
        ...usedPart(value, rest),
      };
  }
  return part;
}

/** Compiles these schemas into a folder, one CommonJS file each. */
export function compileInto(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of COMPILED_SCHEMAS) {
    const text = schemaText(name);
    const schema = JSON.parse(text, withoutTexts) as object;
    // With the small references of the others inlined, their code is larger.
    const inlineRefs = name === 'results';
    const ajv = validatorOf(schema, { ...SHIPPED[name], inlineRefs, code: { source: true } });
    // Ajv of draft 2020-12 sets these for keywords that no schema has.
    Object.assign(ajv.opts, { dynamicRef: false, unevaluated: false });
    const whole = standalone.default(ajv, ajv.compile(schema));
    const code = withUsedParts(whole.replaceAll(UNUSED, ''));
    writeFileSync(path.join(folder, `${name}.cjs`), `${code}\nmodule.exports.source = "${sha256(text)}";\n`);
  }
}
