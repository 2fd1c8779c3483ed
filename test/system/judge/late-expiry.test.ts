import { expect, it } from 'vitest';
import { runTrial, type Trial } from '../../../src/prove/trial.ts';

// An hour of this provider's clock is a second, and each of its answers takes six minutes of it.
const SLOW: Trial = {
  mock: { records: 5, clockRate: 3600, latencyMs: 100 },
  suite: 'full',
  only: ['token/refused-after-expiry'],
  seed: 1,
  runs: null,
  expiry: true,
};

it('does not take a refusal for one at the end of a token when it came long after', async () => {
  const { verdicts } = await runTrial(SLOW, null);
  expect(verdicts.find(({ requirement }) => requirement === 'token/refused-after-expiry')).toMatchObject({
    verdict: 'inconclusive',
    sentence: expect.stringContaining('the answers came too slowly to ask'),
  });
}, 60_000);
