import { prose } from '../../src/core/prose.ts';
import { judgeAccepted } from '../../src/judge/accepted.ts';
import { requirement } from '../../src/judge/check.ts';

export const authorizationAccepted = requirement({
  id: 'authorization/accepted',
  clause: ['4.2', '5.1'],
  smoke: true,
  rule: 'A list call that carries the issued token as "Authorization: Bearer <token>" is answered with HTTP 200.',
  needs: null,
  tested: prose`Makes a list call with the token of this run and the headers of the target file, and reads the status. Of
      all other calls of the run it looks at those that were answered 401 although the same token was accepted right after,
      or although their token was the last one issued and nothing had been asked of the token endpoint since; and whether
      the list call is still answered at the end.`,
  breach: prose`Any status but 200 for a token that was just issued, or, twice in a run, for one that was in force.`,
  causes: prose`The list API trusts another issuer, audience or signing key than the token endpoint uses; a scope
      in the target file that grants nothing there; a wrong or missing tenant; a server clock behind the token's nbf
      or iat; a baseUrl without the path base that a gateway adds; tokens kept in the memory of one of several servers,
      or for a shorter time than was told.`,
  fix: prose`Give the list API the issuer, audience and keys of the token endpoint; log why the token was
      refused (its claims against what is expected); compare tenant, scope and baseUrl of the target file with
      what was issued.`,
  judge: judgeAccepted,
});
