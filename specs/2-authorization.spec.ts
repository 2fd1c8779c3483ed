import { allLists, judging, test } from '../src/playwright/spec-tests.ts';

const lists = allLists();

for (const list of lists) test(...judging('authorization/accepted', list));
for (const list of lists) test(...judging('authorization/required', list));
for (const list of lists) test(...judging('authorization/required-on-every-page', list));
for (const list of lists) test(...judging('authorization/scheme', list));
for (const list of lists) test(...judging('authorization/token-integrity', list));
