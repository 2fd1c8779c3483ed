import fc from 'fast-check';

/** The seed of all properties in tests: the same cases every time, unless TEST_SEED names another one. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['TEST_SEED'] ?? 1) });
