import { prose } from '../../src/core/prose.ts';
import { expectOpenToToken, expectRefusals, type Intrusion, withLiveToken } from '../../src/judge/access.ts';
import { requirement } from '../../src/judge/check.ts';
import { forgeriesOf } from '../../src/judge/forgeries.ts';
import { elsewhere } from '../../src/judge/rotated-queries.ts';

export const authorizationTokenIntegrity = requirement({
  id: 'authorization/token-integrity',
  clause: ['5.1'],
  smoke: false,
  rule: prose`A token that the provider did not issue is refused: a random one, and the issued one cut short,
      lengthened, or changed in any part that carries information (for a JWT: header, payload, signature, and
      the algorithm set to none).`,
  needs: null,
  tested: prose`Sends a random token, none after the word Bearer, and variants of the issued one with a cut, an addition
      or a changed character at the start, in the middle and near the end; for a JWT also an edited header or payload under
      the old signature, no signature, alg none, an empty HMAC key, and a key of ours, which the header carries. Spare bits at the end of a base64url part carry nothing and are left alone. By turns they go to the bare list call, to
      one with $count and to a later page.`,
  breach: 'A changed or invented token obtains records.',
  causes: prose`A JWT decoded but never verified (jwt.decode in place of jwt.verify, ValidateIssuerSigningKey or
      signature validation switched off behind a gateway); the algorithm taken from the token's own header; an opaque
      token compared without letter case, by prefix, or in a column that cuts or folds it; "any string will do" left
      over from a stub.`,
  fix: prose`Verify the signature with a fixed algorithm and the issuer's key before any claim is read, in
      the service itself and not just in front of it; compare opaque tokens as a whole and by their exact
      characters.`,
  judge: async (context) => {
    await expectOpenToToken(context);
    const random = `${context.random('token').toString(36)}${context.random('token again').toString(36)}`;
    await withLiveToken(context, async (token) => {
      const label = context.tokens.labelOf(token);
      // A token of few characters may become one that was issued.
      const issued = new Set(context.tokens.rightAnswers().map((answer) => answer.token));
      const forgeries = forgeriesOf(token, random).filter((forgery) => !issued.has(forgery.token));
      const intrusions = forgeries.map((forgery, index): Intrusion => {
        if (forgery.token !== random)
          context.secrets.add(forgery.token, `${label} ${forgery.how}`, forgery.shell);
        return elsewhere(context, index, {
          key: forgery.how,
          asked: `with a token ${forgery.how}`,
          call: { authorization: forgery.authorization },
          openList: true,
        });
      });
      await expectRefusals(context, intrusions);
    });
  },
});
