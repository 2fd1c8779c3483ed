import { observing, test } from '../src/playwright/host.ts';

// What the specification leaves open. This file comes after those of the requirements, whose exchanges it reads.
test(...observing());
