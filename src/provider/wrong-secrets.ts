import { alteredSecrets } from '../target/altered-secrets.ts';

/** A value of client_secret that is not the client's. */
export interface WrongSecret {
  /** What a token request with it is, to follow "a token request". */
  readonly asked: string;
  /** Null if the field is left out. */
  readonly secret: string | null;
}

/**
 * Wrong secrets, those that break most providers first, since limits may cut the list. Each shows another way to compare
 * secrets wrongly: not at all, not if absent or empty, without letter case, by a prefix in either direction.
 *
 * @param unrelated text that the first of them is made of
 */
export function wrongSecrets(secret: string, unrelated: string): readonly WrongSecret[] {
  const other = unrelated.padEnd(secret.length, 'x').slice(0, Math.max(8, secret.length));
  return [
    { asked: 'with a client_secret that is not the client’s', secret: other },
    { asked: 'without client_secret', secret: null },
    { asked: 'with an empty client_secret', secret: '' },
    ...alteredSecrets(secret),
  ];
}
