import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Location } from '@playwright/test/reporter';
import { suite } from '../../specs/suite.ts';
import { packageFile } from '../core/package-file.ts';
import { isCustomCheck } from '../core/requirement-id.ts';
import type { Check } from '../judge/check.ts';
import type { Target } from '../target/target.ts';
import type { Plan } from './run-plan.ts';

/** The title of a requirement's test, with the list if the requirement is about one. */
export function testTitle(id: string, list: string | null): string {
  return list === null ? id : `${id} of ${list}`;
}

/** Names of the lists of a target. */
export function listsOf({ resources }: Target): readonly string[] {
  return resources.map(({ name }) => name);
}

/** Titles of all tests of a target that differ between targets: those of its lists and of its custom checks. */
function titlesOf(target: Target, own: readonly Check[]): readonly string[] {
  return [...suite, ...own].flatMap(({ requirement: { id }, scope }) =>
    scope === 'target' ? [testTitle(id, null)] : listsOf(target).map((list) => testTitle(id, list)),
  );
}

/** Patterns for tests that a target does not have: spec files declare the tests of all targets. */
export function foreignTests(target: Target, { targets, own }: Pick<Plan, 'targets' | 'own'>): RegExp[] {
  const ofTarget = (one: Target): readonly string[] => titlesOf(one, own.get(one.name) ?? []);
  const mine = new Set(ofTarget(target));
  const foreign = new Set(targets.flatMap(ofTarget).filter((title) => !mine.has(title)));
  // Project and file come before the title, tags behind it. Of all characters of a title only the dot needs an escape.
  return [...foreign].map((title) => new RegExp(` ${title.replaceAll('.', '\\.')}( @smoke)?$`, 'u'));
}

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
