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

it.concurrent.each(['token-newest-only', 'token-newest-three'])(
  '%s keeps its tokens until they expire',
  async (variant) => {
    const { verdicts } = await runTrial(
      { mock: { variant, clockRate: 360 }, suite: 'full', only: [], seed: 1, runs: null, expiry: true },
      null,
    );
    const ofExpiry = verdicts.filter(({ requirement }) => requirement.includes('expiry'));
    expect(ofExpiry.map(({ verdict }) => verdict)).toEqual(['pass', 'pass']);
  },
);
