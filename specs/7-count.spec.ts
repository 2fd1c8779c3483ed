import { allLists, judging, test } from '../src/playwright/spec-tests.ts';

const lists = allLists();

for (const list of lists) test(...judging('count/present', list));
for (const list of lists) test(...judging('count/stable', list));
for (const list of lists) test(...judging('count/equals-records', list));
