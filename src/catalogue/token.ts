import type { Requirement } from '../core/requirement.ts';
import { prose } from './prose.ts';

/** Obtaining a token, and how long it lives (clauses 2.1, 4.1 and 5). */
export const token: readonly Requirement[] = [
  {
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
  },
  {
    id: 'token/shape',
    clause: ['2.1'],
    smoke: true,
    rule: prose`A successful token answer is one JSON object with access_token (a string that is not empty),
      expires_in (a whole number), token_type (a string) and scope (a string). It may hold more members.`,
    needs: null,
    tested: prose`Reads the first token answer and, but for smoke, a second one against
      schemas/token-response.schema.json.`,
    breach: 'A member is missing or null, has another type, or the body is not a JSON object.',
    causes: prose`scope left out because it equals the scope that was asked for (OpenIddict and others do so, as
      OAuth 2.0 allows them), or given as an array; expires_in written as a string or with a fraction; a token
      object wrapped in an envelope such as {"data": …} by an API gateway or a response filter.`,
    fix: prose`Write all four members into every token answer: access_token and scope as strings, expires_in
      as a whole number, token_type as a string, at the top level of one JSON object; always name the granted
      scope, also where it is what was asked for.`,
  },
  {
    id: 'token/type',
    clause: ['2.1'],
    smoke: true,
    rule: 'token_type has the value "Bearer", spelled exactly so.',
    needs: null,
    tested: prose`Compares token_type of the first token answer and, but for smoke, of a second one with "Bearer",
      letter case included.`,
    breach: 'token_type is "bearer", "BearerToken", "JWT" or anything else.',
    causes: prose`Libraries that spell it in lower case (many do, because OAuth 2.0 compares it without case), or a
      template that fills in the token's format instead of its type.`,
    fix: prose`Write the literal Bearer, with a capital B, into token_type.`,
  },
  {
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
  },
  {
    id: 'token/scope',
    clause: ['2.1'],
    smoke: false,
    rule: prose`scope lists scope tokens, each of the characters that RFC 6749 section 3.3 allows, with exactly one
      space between two of them.`,
    needs: null,
    tested: prose`Parses scope of the first token answer and, but for smoke, of a second one by the grammar of RFC 6749
      section 3.3; looks whether it is the scopes that were asked for, joined by something else than a space.`,
    breach:
      'Commas, line breaks or double spaces between scopes, a space at either end, quotes, an empty string.',
    causes: prose`An array joined with a comma, or printed as JSON inside a string; scopes of roles joined with a
      trailing space; the requested scope echoed back untrimmed.`,
    fix: prose`Join the granted scopes with one blank each, trim the result, and write it as one string.`,
  },
  {
    id: 'token/grant-type',
    clause: ['4.1'],
    smoke: false,
    rule: prose`A token request whose grant_type is missing, or names another grant, yields no access token. Another
      letter case, or white space around the right value, is only observed.`,
    needs: null,
    tested: prose`Sends the request with grant_type left out, empty, set to other grants (password, authorization_code,
      refresh_token) and to the right word cut short or lengthened, with right credentials; for certify also to words
      drawn from the run's seed. It looks for an access_token in the answer, whatever its status.`,
    breach: 'An answer to such a request holds an access_token.',
    causes: prose`A hand-written token handler that never reads grant_type; a route that serves one grant only and
      takes the parameter for granted; a default of client_credentials where the parameter is absent.`,
    fix: prose`Read grant_type first, compare it with client_credentials exactly, and answer anything else,
      or nothing, with 400 and unsupported_grant_type or invalid_request.`,
  },
  {
    id: 'token/secret',
    clause: ['4.1'],
    smoke: true,
    rule: prose`A token request with no client_secret, or with one that does not belong to its client_id, yields no
      access token.`,
    needs: null,
    tested: prose`Sends the request with the secret left out, empty, and altered, and looks for an access_token in
      the answer, whatever its status. Keeps to probes.wrongCredentials, with right requests between wrong ones, so
      that no lock-out is provoked, and after them, so that none hides a breach.`,
    breach: 'An answer to such a request holds an access_token, even one with an error status.',
    causes: prose`A client registered as public, so that no secret is checked; an absent secret compared with an
      absent one (null equals null) and found equal; a comparison of prefixes, of hashes cut short (bcrypt reads 72
      bytes), or without letter case; a cache of issued tokens keyed by client_id alone.`,
    fix: prose`Register the client as confidential, require a secret that is not empty, and compare the
      whole of it, in constant time, with the one stored for that client_id, before any cached token is handed
      out.`,
  },
  {
    id: 'token/client',
    clause: ['4.1'],
    smoke: false,
    rule: 'A token request with no client_id, or with one that was never issued, yields no access token.',
    needs: null,
    tested: prose`Sends the request with client_id left out, empty, and replaced by identifiers that nobody was given,
      and looks for an access_token in the answer, whatever its status.`,
    breach: 'An answer to such a request holds an access_token.',
    causes: prose`A look-up that falls back to a default client; client_id compared without letter case or matched by
      prefix; an unknown client treated like a public one; empty client_id and empty secret accepted together.`,
    fix: prose`Look the client up by its exact client_id, refuse where nothing is found, and give no client
      without a secret a token.`,
  },
  {
    id: 'token/provider-isolation',
    clause: ['1', '5.4', '8'],
    smoke: false,
    rule: prose`The client_id of one provider together with the client_secret of another yields no access token, in
      both directions.`,
    needs: "a second provider's credentials in the target file (otherCredentials)",
    tested: prose`Proves that both pairs of credentials work, then sends each client_id with the other's secret and
      looks for an access_token in the answer.`,
    breach: 'A crossed pair is given an access_token.',
    causes: prose`The secret looked up on its own (is it any client's?) and not together with its client_id; one
      secret shared by all integrations of an environment; secrets that differ only past the length that is
      compared.`,
    fix: prose`Fetch the client by its client_id and compare the secret with that client's own; issue a
      secret of its own to every provider.`,
  },
  {
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
  },
  {
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
  },
];
