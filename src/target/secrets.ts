import type { Target } from './target.ts';

/** A secret of a target, with the label that stands for it wherever it would appear. */
export interface Secret {
  readonly secret: string;
  readonly label: string;
  /** The client it belongs to, for its Basic form; null where it belongs to none. */
  readonly clientId: string | null;
}

/** Every secret that a target holds; those of headers are told by the header's name. */
export function secretsOf(target: Target): readonly Secret[] {
  const { credentials, otherCredentials, expiredToken, headers } = target;
  const secrets: Secret[] = [
    { secret: credentials.clientSecret, label: 'client-secret', clientId: credentials.clientId },
  ];
  if (otherCredentials !== null) {
    const { clientId, clientSecret } = otherCredentials;
    secrets.push({ secret: clientSecret, label: 'other-client-secret', clientId });
  }
  if (expiredToken !== null) secrets.push({ secret: expiredToken, label: 'expired-token', clientId: null });
  for (const [name, value] of Object.entries(headers)) {
    if (isSecretHeader(name))
      secrets.push({ secret: value, label: `header-${name.toLowerCase()}`, clientId: null });
  }
  return secrets;
}

/** Whether a header of that name usually carries a secret. */
export function isSecretHeader(name: string): boolean {
  return /key|token|secret|auth|passw|cookie|credential|signature/i.test(name);
}
