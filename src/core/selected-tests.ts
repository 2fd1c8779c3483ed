import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A Playwright test: the name of its target and its title. */
export type SelectedTest = readonly [target: string, title: string];

const FILE = 'selected-tests.json';

/** Writes the tests that Playwright selected (`-g` and so on) for its workers. */
export function writeSelectedTests(folder: string, tests: readonly SelectedTest[]): void {
  writeFileSync(path.join(folder, FILE), JSON.stringify(tests));
}

/** The selected tests; null if none were written. */
export function readSelectedTests(folder: string): readonly SelectedTest[] | null {
  const file = path.join(folder, FILE);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly SelectedTest[]) : null;
}

/** The title of a requirement's test, with the list if the requirement is about one. */
export function testTitle(id: string, resource: string | null): string {
  return resource === null ? id : `${id} of ${resource}`;
}
