import { allLists, judging, test } from '../src/playwright/spec-tests.ts';

const lists = allLists();

for (const list of lists) test(...judging('link/absent-without-count', list));
for (const list of lists) test(...judging('link/present-when-more', list));
for (const list of lists) test(...judging('link/absent-at-the-end', list));
for (const list of lists) test(...judging('link/relative', list));
for (const list of lists) test(...judging('link/query', list));
for (const list of lists) test(...judging('link/offset', list));
