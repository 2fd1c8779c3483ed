import { prose } from '../../src/core/prose.ts';
import { requirement } from '../../src/judge/check.ts';
import { judgeIssued } from '../../src/judge/issued.ts';

export const tokenIssued = requirement({
  id: 'token/issued',
  clause: ['4.1', '5.2', '5.5'],
  smoke: true,
  rule: prose`A form-encoded request for the client-credentials grant that carries client_id and client_secret
      in its body, and no Authorization header, is answered with HTTP 200.`,
  needs: null,
  tested: prose`Sends POST {authUrl}/connect/token with the target's credentials as
      application/x-www-form-urlencoded and reads the status, but for smoke a second time, too. Most other requirements
      build on this token.`,
  breach: prose`Any status but 200, a redirect included, for credentials that are known to be right: they obtain a token
      at another time, or in another way, such as HTTP Basic. Where nothing shows that they are right, the run could not
      be carried out, and the likely mistakes are listed.`,
  causes: prose`Credentials or scope of another environment in the target file; an authUrl that already ends in
      /connect, or lacks the path base that a gateway adds; an authorization server that takes the client only by
      HTTP Basic (client_secret_basic) and not from the form; a client registered without the client_credentials
      grant; a web application firewall that blocks secrets with special characters.`,
  fix: prose`Send the curl line of the report by hand. If it is refused, compare clientId, clientSecret
      and scope with what was issued and cut a trailing /connect/token off authUrl; if the server wants HTTP
      Basic, allow client_secret_post for this client.`,
  judge: judgeIssued,
});
