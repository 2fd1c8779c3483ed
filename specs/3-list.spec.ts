import { allLists, judging, test } from '../src/playwright/spec-tests.ts';

const lists = allLists();

for (const list of lists) test(...judging('list/envelope', list));
for (const list of lists) test(...judging('list/items', list));
