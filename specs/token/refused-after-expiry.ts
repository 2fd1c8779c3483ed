import { prose } from '../../src/core/prose.ts';
import { requirement } from '../../src/judge/check.ts';
import { judgeRefusedAfterExpiry } from '../../src/judge/expiry.ts';

export const tokenRefusedAfterExpiry = requirement({
  id: 'token/refused-after-expiry',
  clause: ['5.3', '8'],
  smoke: false,
  rule: prose`Once its validity and the configured clock tolerance (300 seconds unless set otherwise) are over, a
      token is refused on list calls.`,
  needs: '--expiry, or an expired token in the target file (expiredToken)',
  tested: prose`Makes a list call with the expired token of the target file, or with a token of this run kept past
      its validity and the tolerance, and looks for records.`,
  breach: 'The expired token still obtains records.',
  causes: prose`Expiry validation switched off (ValidateLifetime = false, ignoreExpiration: true) or never written;
      exp put in as milliseconds, thousands of years ahead; the result of an introspection cached for longer than the
      token lives; a generous clock skew beyond five minutes.`,
  fix: prose`Validate exp, in seconds, on every call with a skew of at most five minutes, and keep the
      result of an introspection no longer than the token lives.`,
  judge: judgeRefusedAfterExpiry,
});
