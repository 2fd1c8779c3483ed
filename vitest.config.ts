import { defineConfig } from 'vitest/config';
import { BrowserReminder } from './test/support/browser-reminder.ts';
import { TestOrder } from './test/support/test-order.ts';

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/layers.test.ts'],
          // Some wait for time to pass.
          maxWorkers: 3,
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: ['test/system/**/*.test.ts'],
          globalSetup: 'test/support/build-once.ts',
          // They often wait for other processes and for time to pass.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          // Tests that replace a module, which only they may see.
          name: 'system, isolated',
          include: ['test/system/**/*.isolated.ts'],
          isolate: true,
          sequence: { groupOrder: 2 },
        },
      },
    ],
    sequence: { sequencer: TestOrder },
    setupFiles: 'test/support/property-seed.ts',
    reporters: ['default', new BrowserReminder()],
    // Tests start servers, child processes and browsers: a limit for tests that hang, not a measure of speed.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Everything that tests start is on loopback, where a proxy of the machine must not be used.
    env: Object.fromEntries(
      ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, '']),
    ),
    pool: 'forks',
    // Modules are loaded once for all files of a process.
    isolate: false,
    // What tests allocate is garbage soon: with more room for it, the garbage collector runs less often.
    execArgv: ['--max-semi-space-size=64'],
    maxWorkers: 2,
  },
});
