import { allCustomChecks, judging, test } from '../src/playwright/host.ts';

// Custom checks, whose identifiers begin with x/.
for (const { check, list } of allCustomChecks()) test(...judging(check, list));
