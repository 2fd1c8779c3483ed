import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests start servers, child processes and browsers: a bound on hanging, no measure of speed.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What tests start is on loopback. A proxy of the machine must not stand between.
    env: Object.fromEntries(
      ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, '']),
    ),
    pool: 'forks',
    maxWorkers: 2,
  },
});
