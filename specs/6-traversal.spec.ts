import { allLists, judging, test } from '../src/playwright/spec-tests.ts';

const lists = allLists();

for (const list of lists) test(...judging('traversal/followable', list));
for (const list of lists) test(...judging('traversal/terminates', list));
for (const list of lists) test(...judging('traversal/no-duplicates', list));
for (const list of lists) test(...judging('traversal/same-records', list));
for (const list of lists) test(...judging('traversal/by-parameters', list));
