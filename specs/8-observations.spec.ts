import { observing, test } from '../src/playwright/spec-tests.ts';

// What the specification leaves open. This file comes after those of the requirements, whose exchanges it reads.
test(...observing());
