import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.mjs',
  // Null stands for the provider that the ASSAY_ variables describe; a target file can be named instead.
  use: { assayTarget: null, assaySuite: 'smoke', assaySeed: 42 },
});
