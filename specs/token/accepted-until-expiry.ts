import { Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { expectNoEarlyExpiry } from '../../src/judge/proofs/early-expiry.ts';
import { causeOfDelay, type ExpiryTrial, tryExpiry } from '../../src/judge/proofs/token-lifetime.ts';
import { Violation } from '../../src/judge/violation.ts';
import { VALIDITY_SECONDS } from '../../src/provider/token-history.ts';

export const tokenAcceptedUntilExpiry = requirement({
  id: 'token/accepted-until-expiry',
  clause: ['5.3', '8'],
  rule: `A list call accepts a token until shortly before its 60 minutes are over. A provider that refuses a
      valid token while it accepts a fresh one breaks this at any time, unless a later token request or a probe of the
      run explains the refusal.`,
  needs: 'for a pass, --expiry, which waits for a token to expire; for a failure, nothing',
  tested: `With --expiry, uses a token right after it was issued, keeps it until shortly before its validity ends and makes
    list calls with it, of the second page and of the other lists as well; the same with a token that was not used
    before. If such a call is refused, a fresh token is tried, so that an outage does not count as an early end. In
    every run, notes each token that is refused before its time. Then uses a second token at the same ages for the
    same calls, with no other token request in between. Leaves a third one unused while a newer one is used, and tries both. With
    further ones, checks whether a token request of the second client ends them, and one of the first client does not: a
    later token request excuses an end. A token that is refused with
    another status than 401 is tried again eleven seconds later, since a rate limit may be the reason; with 403,
    which may be a limit for each token, the verdict stays open.`,
  breach: 'The provider refuses the old token while it accepts a fresh one.',
  causes: `The exp claim of the token, or the session behind it, ends earlier than expires_in says, or when it was not used
      for some time; a token store
      in memory that is lost at a restart or drops entries under load; signing keys rotated without keeping the
      previous key for an hour; two servers whose clocks differ.`,
  fix: `Derive exp, the stored session and expires_in from one number. Keep tokens and signing keys for at least
      an hour, also across restarts and rotations. Synchronise the clocks of all servers.`,
  judge: async (context) => {
    // After all other checks, since a token request may end earlier tokens.
    context.afterAllChecks(async () => {
      await expectNoEarlyExpiry(context);
      if (!context.options.expiry)
        throw new Undecided({ kind: 'unconfigured', key: '--expiry' }, 'it waits for a token to expire');
      const finding = isAcceptedBeforeExpiry(await tryExpiry(context));
      context.exercised();
      if (finding !== 'kept') throw finding;
    });
  },
});

/** The oracle, over one token that was used shortly before it expired. */
function isAcceptedBeforeExpiry(trial: ExpiryTrial): 'kept' | Violation | Undecided {
  const { token, refusedEarly, after, announcedAgain } = trial;
  if (refusedEarly !== null) {
    const { token: ended, exchange, wasUsed } = refusedEarly;
    const status = exchange.answer?.status;
    return new Violation({
      message:
        `a token issued with expires_in ${ended.expiresIn} was refused (status ${status}) for ${exchange.request.target} shortly before its ` +
        `${VALIDITY_SECONDS} seconds were over, and a new one was accepted right after; ` +
        (wasUsed
          ? 'the refused one had been accepted earlier'
          : 'no earlier call with the refused one had been accepted'),
      expected: 'accepted until its validity ends',
      actual: `status ${status}`,
      exchanges: [exchange, ended],
    });
  }
  // A token that is refused as such is no outage, also if the provider issues it again and again.
  if (announcedAgain !== null && trial.obstacle !== null && after.answer?.status !== 401)
    return trial.obstacle;
  if (announcedAgain !== null && !trial.isAcceptedAfter)
    return new Violation({
      message:
        `the same token was issued again with expires_in ${announcedAgain.expiresIn}, ` +
        'and was refused before those seconds were over',
      expected: 'accepted until the later expiry',
      actual: `status ${after.answer?.status}`,
      exchanges: [after, announcedAgain, token],
    });
  // A later expiry of the same token has passed by then, too.
  return (announcedAgain === null && trial.isGivenAgain ? causeOfDelay(trial) : null) ?? 'kept';
}
