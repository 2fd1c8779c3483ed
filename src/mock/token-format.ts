import { randomBytes, randomUUID } from 'node:crypto';
import { CompactSign, compactVerify, type GenerateKeyPairResult, generateKeyPair } from 'jose';
import { strictlyDecoded } from './base64url.ts';
import type { Session, TokenFormat } from './pipeline.ts';

/** The `iss` and `aud` claims of a JWT. */
interface TokenParties {
  readonly issuer: string;
  readonly audience: string;
}

const MAX_CACHED_TOKENS = 10_000;

function sessionOf(payload: unknown, parties: TokenParties): Session | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const claims: Readonly<Record<string, unknown>> = { ...payload };
  const { iss, aud, exp, client_id: clientId, scope } = claims;
  if (iss !== parties.issuer || aud !== parties.audience) return undefined;
  if (typeof exp !== 'number' || typeof clientId !== 'string' || typeof scope !== 'string') return undefined;
  return { clientId, scope, expiresAt: exp * 1000 };
}

/** One key pair for all providers of this process: `iss` and `aud` keep their tokens apart. */
let keyPair: Promise<GenerateKeyPairResult> | null = null;

/** JWTs signed with ES256. Issued and verified tokens are cached by their exact text. */
export async function jwtFormat(parties: TokenParties): Promise<TokenFormat> {
  keyPair ??= generateKeyPair('ES256');
  const { publicKey, privateKey } = await keyPair;
  const keyId = randomUUID();
  const verified = new Map<string, Session>();
  const remember = (token: string, session: Session): void => {
    if (verified.size >= MAX_CACHED_TOKENS) verified.clear();
    verified.set(token, session);
  };
  return {
    mint: async (session, issuedAt) => {
      const claims = {
        iss: parties.issuer,
        aud: parties.audience,
        sub: session.clientId,
        client_id: session.clientId,
        scope: session.scope,
        iat: Math.floor(issuedAt / 1000),
        exp: Math.floor(session.expiresAt / 1000),
        jti: randomUUID(),
      };
      const token = await new CompactSign(Buffer.from(JSON.stringify(claims)))
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: keyId })
        .sign(privateKey);
      // `exp` is in whole seconds, so a token would end up to a second early.
      remember(token, session);
      return token;
    },
    resolve: async (token) => {
      const known = verified.get(token);
      if (known !== undefined) return known;
      if (token.split('.').some((part) => strictlyDecoded(part) === null)) return undefined;
      try {
        const { payload } = await compactVerify(token, publicKey, { algorithms: ['ES256'] });
        const session = sessionOf(JSON.parse(Buffer.from(payload).toString('utf8')), parties);
        if (session === undefined) return undefined;
        remember(token, session);
        return session;
      } catch {
        // Any error means that it is not a token of this provider.
        return undefined;
      }
    },
  };
}

/** Random tokens of 43 base64url characters, looked up exactly. */
export function opaqueFormat(now: () => number): TokenFormat {
  const sessions = new Map<string, Session>();
  return {
    mint: async (session) => {
      const token = randomBytes(32).toString('base64url');
      if (sessions.size >= MAX_CACHED_TOKENS) {
        for (const [old, { expiresAt }] of sessions) if (expiresAt <= now()) sessions.delete(old);
      }
      sessions.set(token, session);
      return token;
    },
    resolve: async (token) => sessions.get(token),
  };
}
