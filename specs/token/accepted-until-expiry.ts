import { prose } from '../../src/core/prose.ts';
import { requirement } from '../../src/judge/check.ts';
import { judgeAcceptedUntilExpiry } from '../../src/judge/expiry.ts';

export const tokenAcceptedUntilExpiry = requirement({
  id: 'token/accepted-until-expiry',
  clause: ['5.3', '8'],
  smoke: false,
  rule: prose`A token is accepted on list calls until shortly before its 60 minutes are over. A token in force that is
      refused while a fresh one is accepted breaks this at any time, unless a later token request or a probe of the run
      explains it.`,
  needs: 'for a pass, --expiry, which waits for a token to expire; for a failure, nothing',
  tested: prose`With --expiry, keeps a token until shortly before its validity ends and makes a list call with it; a freshly
      issued token is tried beside it, so that an outage is not taken for an expiry. In every suite, a token that is
      refused before its time is noted, and a second token is brought to the same age and number of calls with no other
      token request between.`,
  breach: 'The old token is refused while a fresh one is accepted.',
  causes: prose`The token's exp claim, or the session behind it, shorter than the expires_in that is announced; a
      token store in memory that is lost at a restart or evicts under load; signing keys rotated without keeping the
      earlier key for an hour; clocks of two servers that differ.`,
  fix: prose`Derive exp, the stored session and expires_in from one number; keep tokens or signing keys
      for at least an hour, also across restarts and rotations; synchronise the clocks of all servers.`,
  judge: judgeAcceptedUntilExpiry,
});
