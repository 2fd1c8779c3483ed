import { swapCase } from '../core/letter-case.ts';

/** A secret similar to the client's, with the label that replaces it in all outputs. */
export interface AlteredSecret {
  /** Describes a token request with it, for messages. */
  readonly asked: string;
  readonly secret: string;
  readonly label: string;
  /** The shell expression that derives it from `$CLIENT_SECRET`. */
  readonly shell: string;
}

/**
 * Variations of a secret that a faulty provider might accept: other letter case, the last character removed, one
 * character added. Each of them reveals nearly all of the secret.
 */
export function alteredSecrets(secret: string): readonly AlteredSecret[] {
  const altered = [
    {
      asked: 'with the client_secret in other letter case',
      secret: swapCase(secret),
      label: 'client-secret in other case',
      shell: "$(tr 'a-zA-Z' 'A-Za-z' <<<\"$CLIENT_SECRET\")",
    },
    {
      asked: 'with the client_secret shortened by its last character',
      secret: secret.slice(0, -1),
      label: 'client-secret shortened',
      shell: '${CLIENT_SECRET%?}',
    },
    {
      asked: 'with the client_secret followed by one more character',
      secret: `${secret}x`,
      label: 'client-secret extended',
      shell: '${CLIENT_SECRET}x',
    },
  ];
  return altered.filter((one) => one.secret !== secret);
}
