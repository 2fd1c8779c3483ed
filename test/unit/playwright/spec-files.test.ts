import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { suite } from '../../../specs/suite.ts';
import { packageFile } from '../../../src/core/package-file.ts';
import type { Check } from '../../../src/judge/check.ts';
import { list } from '../../../src/judge/custom/check.ts';
import { foreignTests, sourceLocation } from '../../../src/playwright/run-plan.ts';
import { makeTarget } from '../../../src/target/make.ts';
import type { Target } from '../../../src/target/target.ts';

const answers = list('x/answers', { rule: 'It answers.' }, async () => undefined) as Check;

function targetWith(name: string, lists: readonly string[]): Target {
  return makeTarget({
    name,
    authUrl: 'https://login.acme.example',
    baseUrl: 'https://api.acme.example',
    tenant: null,
    credentials: { clientId: 'client', clientSecret: 'a client secret', scope: 'read' },
    resources: lists.map((one) => ({
      name: one,
      path: `/v1/${one}`,
      itemSchema: 'printer',
      idField: 'id',
    })),
  });
}

it('the step of a requirement is shown in its file, at its identifier', () => {
  for (const check of suite) {
    const location = sourceLocation(check);
    expect(location?.file).toMatch(new RegExp(`specs/${check.requirement.id}\\.ts$`, 'u'));
    expect(location?.line).toBeGreaterThan(1);
  }
});

it('every requirement has a line in a spec file', () => {
  const folder = packageFile('specs');
  const specFiles = readdirSync(folder).filter((name) => name.endsWith('.spec.ts'));
  const text = specFiles.map((name) => readFileSync(path.join(folder, name), 'utf8')).join('');
  const missing = suite.map(({ requirement }) => requirement.id).filter((id) => !text.includes(`'${id}'`));
  expect(missing).toEqual([]);
});

it('the step of a custom check is shown where it is declared', () => {
  expect(sourceLocation({ ...answers, declaredAt: 'checks/mine.mjs:12' })).toEqual({
    file: path.resolve('checks/mine.mjs'),
    line: 12,
    column: 1,
  });
});

it('the project of a target leaves out the tests of other lists and of custom checks that it does not have', () => {
  const one = targetWith('one', ['printers', 'v1.devices']);
  const other = targetWith('other', ['printers']);
  const customChecks = new Map([['one', [answers]]]);
  const leftOut = (target: Target, title: string): boolean =>
    foreignTests(target, { targets: [one, other], customChecks }).some((pattern) =>
      pattern.test(`${target.name} 5-link.spec.ts ${title}`),
    );
  const titles = [
    'link/query of printers',
    'link/query of v1.devices',
    'x/answers of printers',
    'token/issued @smoke',
  ];
  expect(titles.filter((title) => leftOut(one, title))).toEqual([]);
  expect(titles.filter((title) => leftOut(other, title))).toEqual([
    'link/query of v1.devices',
    'x/answers of printers',
  ]);
});
