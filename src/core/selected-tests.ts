import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A test of Playwright's: the name of its target, and its title. */
export type SelectedTest = readonly [target: string, title: string];

const FILE = 'selected-tests.json';

/** Leaves the tests that a run of Playwright's selected, after `-g` and the like, where its workers find them. */
export function writeSelectedTests(folder: string, tests: readonly SelectedTest[]): void {
  writeFileSync(path.join(folder, FILE), JSON.stringify(tests));
}

/** The tests that were selected; null where nobody left them. */
export function readSelectedTests(folder: string): readonly SelectedTest[] | null {
  const file = path.join(folder, FILE);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly SelectedTest[]) : null;
}

/** The title of a requirement's test; of a list where the requirement is about one. */
export function testTitle(id: string, resource: string | null): string {
  return resource === null ? id : `${id} of ${resource}`;
}
