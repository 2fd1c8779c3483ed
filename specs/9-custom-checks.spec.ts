import { allCustomChecks, judging, test } from '../src/playwright/spec-tests.ts';

// Custom checks, whose identifiers begin with x/.
for (const { check, list } of allCustomChecks()) test(...judging(check, list));
