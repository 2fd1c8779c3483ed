import { testTitle } from '../src/core/selected-tests.ts';
import { judgeInTest, observeInTest, test } from '../src/playwright/host.ts';
import { readPlan } from '../src/playwright/run-plan.ts';
import { plan as checksFor } from '../src/run/schedule.ts';
import { suite } from './suite.ts';

// Hands the suite to Playwright Test: one test per requirement and list, grouped by target and chapter.
const plan = await readPlan(process.env);

for (const target of plan.targets) {
  const declare = (entries: ReturnType<typeof checksFor>): void => {
    const chapterOf = (id: string): string => id.split('/')[0] ?? id;
    for (const chapter of new Set(entries.map(({ check }) => chapterOf(check.requirement.id)))) {
      test.describe(chapter, () => {
        for (const { check, resource } of entries) {
          if (chapterOf(check.requirement.id) !== chapter) continue;
          const { id, clause, smoke } = check.requirement;
          const name = check.scope === 'target' ? null : (target.resources[resource]?.name ?? '');
          const title = testTitle(id, name);
          test(
            title,
            {
              tag: smoke ? ['@smoke'] : [],
              annotation: [{ type: 'clause', description: clause.join(', ') }],
            },
            ({ sessions }, info) => judgeInTest(check, target, resource, plan, sessions, info),
          );
        }
      });
    }
  };
  test.describe(target.name, () => {
    // A target stays in one shard and with one worker at a time, so that its limits hold and nothing is asked twice.
    test.describe.configure({ mode: 'default' });
    declare(checksFor(suite, target.resources));
    test('observations', ({ sessions }, info) => observeInTest(target, plan, sessions, info));
    declare(checksFor(plan.own.get(target.name) ?? [], target.resources));
  });
}
