import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Location } from '@playwright/test/reporter';
import { packageFile } from '../core/package-file.ts';
import { isCustomCheck } from '../core/requirement-id.ts';
import type { Check } from '../judge/check.ts';

/** Where a check is declared; undefined where its source is not installed. */
export function sourceLocation({ requirement, declaredAt = null }: Check): Location | undefined {
  if (isCustomCheck(requirement)) return placeOf(declaredAt);
  const file = packageFile(`specs/${requirement.id}.ts`);
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    const line = lines.findIndex((text) => text.includes(`id: '${requirement.id}'`));
    return line < 0 ? undefined : { file, line: line + 1, column: 1 };
  } catch {
    return undefined;
  }
}

function placeOf(declaredAt: string | null): Location | undefined {
  const [, file, line] = /^(.*):(\d+)$/u.exec(declaredAt ?? '') ?? [];
  return file === undefined ? undefined : { file: path.resolve(file), line: Number(line), column: 1 };
}
