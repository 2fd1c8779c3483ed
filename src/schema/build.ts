import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import standalone from 'ajv/dist/standalone/index.js';
import { withFormats } from './compile.ts';
import { digestOf, SHIPPED, type ShippedSchema, schemaText } from './shipped.ts';

/** Compiles every shipped schema into a folder, one CommonJS file each. */
export function compileInto(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, options] of Object.entries(SHIPPED)) {
    const text = schemaText(name as ShippedSchema);
    const ajv = withFormats({ ...options, code: { source: true } });
    const code = standalone.default(ajv, ajv.compile(JSON.parse(text) as object));
    writeFileSync(
      path.join(folder, `${name}.cjs`),
      `${code}\nmodule.exports.source = "${digestOf(text)}";\n`,
    );
  }
}

if (process.argv[1] === import.meta.filename) compileInto(path.join(import.meta.dirname, 'compiled'));
