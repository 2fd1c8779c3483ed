import { expect, it } from 'vitest';
import { runTrial, type Trial } from '../../../src/prove/trial.ts';

// An hour of this provider's clock lasts one second, so each answer takes six minutes of it.
const SLOW: Trial = {
  mock: { records: 5, clockRate: 3600, latencyMs: 100 },
  suite: 'full',
  only: ['token/refused-after-expiry'],
  seed: 1,
  runs: null,
  expiry: true,
};

it('does not treat a late refusal as one at the expiry of a token', async () => {
  const { verdicts } = await runTrial(SLOW, null);
  expect(verdicts.find(({ requirement }) => requirement === 'token/refused-after-expiry')).toMatchObject({
    verdict: 'inconclusive',
    sentence: expect.stringContaining('the answers came too slowly to ask'),
  });
});
