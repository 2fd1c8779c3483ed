import { defineConfig } from 'vitest/config';
import { BrowserReminder } from './test/support/browser-reminder.ts';

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/layers.test.ts'],
          // Modules are loaded once for all files; a test that replaces a module is a system test.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: ['test/system/**/*.test.ts'],
          globalSetup: 'test/support/build-once.ts',
          // They often wait for other processes and for time to pass.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    setupFiles: 'test/support/property-seed.ts',
    reporters: ['default', new BrowserReminder()],
    // Tests start servers, child processes and browsers: a limit for tests that hang, not a measure of speed.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Everything that tests start is on loopback, where a proxy of the machine must not be used.
    env: Object.fromEntries(
      ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, '']),
    ),
    pool: 'forks',
    maxWorkers: 2,
  },
});
