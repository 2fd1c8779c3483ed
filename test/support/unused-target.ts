import { makeTarget } from '../../src/target/make.ts';

/** A target for tests that send nothing over the network. */
export const unusedTarget = makeTarget({
  name: 'unused',
  authUrl: 'http://127.0.0.1:9',
  baseUrl: 'http://127.0.0.1:9',
  tenant: null,
  credentials: { clientId: 'unused', clientSecret: 'unused-secret', scope: 'unused' },
});
