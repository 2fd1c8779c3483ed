import type { Target } from './target.ts';

/** A secret of a target, with the label that replaces it in all outputs. */
export interface Secret {
  readonly secret: string;
  readonly label: string;
  /** The client it belongs to, for its Basic form; null for other secrets. */
  readonly clientId: string | null;
}

/** Every secret of a target; secret headers are recognised by their names. */
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

/** Whether a header with this name usually contains a secret. */
export function isSecretHeader(name: string): boolean {
  return /key|token|secret|auth|passw|cookie|credential|signature/i.test(name);
}
