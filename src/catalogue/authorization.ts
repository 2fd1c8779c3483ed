import { MORE_THAN_ONE_PAGE } from '../core/cause.ts';
import type { Requirement } from '../core/requirement.ts';
import { prose } from './prose.ts';

/** The token on every call (clause 5.1). */
export const authorization: readonly Requirement[] = [
  {
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
  },
  {
    id: 'authorization/required',
    clause: ['5.1'],
    smoke: true,
    rule: prose`Without an Authorization header a list call gives no records: whatever its query, however its path is
      spelled (trailing or doubled slash, other letter case, encoded letters, dot segments), and whatever was
      asked with a token just before.`,
    needs: null,
    tested: prose`Leaves the header out on the bare list call, with different queries and with each other spelling of
      the path (for certify also with each part of it spelled otherwise), also right after the same URL was served to a
      token, and, where an answer set cookies, with these; looks in the answer for items that are like the records of the
      list. An open list is told where it shows twice, by whichever check.
      Refusals may have any form: 400, 401, 403, 404, a redirect to a login, a list of errors.`,
    breach: 'An answer without the header holds records.',
    causes: prose`Authentication attached to a route pattern that the router reads more generously than the gate does
      (a rule for /v1/printers that misses /v1/printers/ or /V1/printers); a gateway in front that checks tokens
      while the service itself is open; a response cache keyed by URL alone that serves the next caller;
      [AllowAnonymous], permitAll or a missing middleware on the new controller.`,
    fix: prose`Deny by default: put the check in front of routing, for every path and method, and let single
      routes out of it where that is meant; keep authorised answers out of shared caches (Vary: Authorization
      or no-store).`,
  },
  {
    id: 'authorization/required-on-every-page',
    clause: ['5.1', '4.3.3'],
    smoke: false,
    rule: 'The nextPageLink of every page that was visited is refused when it is asked for without the Authorization header.',
    needs: MORE_THAN_ONE_PAGE,
    tested:
      'Walks the list with the token, then asks for its links without the header and looks for records in the answers.',
    breach: 'A linked page is served without the header, although the first page is guarded.',
    causes: prose`The gate matches the query as well as the path, or only the first page's handler checks; links that
      carry a continuation secret that stands in for the token; a cache that stored the page for the authorised
      caller.`,
    fix: prose`Guard the path whatever its query is; let links carry paging alone and never anything that
      stands in for the token; keep pages out of shared caches.`,
  },
  {
    id: 'authorization/scheme',
    clause: ['5.1'],
    smoke: false,
    rule: prose`The issued token is refused when it comes under another scheme, without a scheme, or anywhere else than
      in the Authorization header: in the query, in a form, in a cookie.`,
    needs: null,
    tested: prose`Sends the right token as Basic, Token and under schemes that only begin or end with Bearer, bare, in the
      query and in a form as access_token, and under the usual names in the query, in cookies and in other headers, and
      looks for records in the answers. Some of them go to other calls than the bare
      list call. Letter case of "Bearer" is only observed.`,
    breach: 'One of these requests obtains records.',
    causes: prose`A hand-written header parser that takes the last word, or everything after a fixed number of
      characters; frameworks that also read ?access_token= (a leftover from websocket support) or a session cookie;
      several authentication schemes combined where one was meant.`,
    fix: prose`Read the token from the Authorization header alone, after the scheme Bearer and one blank,
      and switch off every other place that the framework reads it from.`,
  },
  {
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
  },
];
