import { allLists, judging, test } from '../src/playwright/spec-tests.ts';

const lists = allLists();

for (const list of lists) test(...judging('page-size/default', list));
for (const list of lists) test(...judging('page-size/maximum', list));
for (const list of lists) test(...judging('page-size/limit', list));
for (const list of lists) test(...judging('page-size/filled', list));
for (const list of lists) test(...judging('page-size/encoded-name', list));
