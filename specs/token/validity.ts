import { prose } from '../../src/core/prose.ts';
import { requirement } from '../../src/judge/check.ts';
import { judgeValidity } from '../../src/judge/validity.ts';

export const tokenValidity = requirement({
  id: 'token/validity',
  clause: ['2.1', '5.3', '8'],
  smoke: true,
  rule: prose`A freshly issued token has expires_in 3600, which is 60 minutes. A provider that hands out one
      token again and counts down is judged on a fresh one.`,
  needs: null,
  tested: prose`Reads expires_in of the first token and, but for smoke, of a second one. Where it is below 3600 it asks
      once more: a token that comes again with less counts down, and the verdict stays open.`,
  breach: 'expires_in is 3599, 3600000, 86400 or another number for a token that was just made.',
  causes: prose`The lifetime taken in milliseconds, or in minutes; a default of the authorization server that
      nobody changed (300 in Keycloak, 7200 or 86400 elsewhere); a safety margin or the server's own processing time
      subtracted before the answer is written.`,
  fix: prose`Set the access token lifetime of this client to 3600 seconds and write that number, in
      seconds, into expires_in of a fresh token.`,
  judge: judgeValidity,
});
