import { type Alteration, alteredSecrets } from '../target/altered-secrets.ts';
import type { Credentials } from '../target/target.ts';

/** A value of client_secret that is not the client's. */
export interface WrongSecret {
  /** What a token request with it is, to follow "a token request". */
  readonly description: string;
  /** Null if the field is left out. */
  readonly secret: string | null;
  /** The name of the field; client_secret if left out. */
  readonly field?: string;
  /** Whether the request has no scope either. */
  readonly isWithoutScope?: boolean;
}

/**
 * Wrong secrets. Each shows another way to compare secrets wrongly: not at all, not if absent or empty, without letter
 * case, by a prefix in either direction, as a pattern, in another form.
 */
export interface WrongSecrets {
  /** Those that break most providers, first the one that is like no secret. */
  readonly likely: readonly [WrongSecret, ...WrongSecret[]];
  /** Further ones by what they show; any of a kind also shows that secrets are not compared at all. */
  readonly altered: { readonly [alteration in Alteration]: readonly WrongSecret[] };
}

/** @param unrelated text that the first of them is made of */
export function wrongSecrets(
  { clientId, clientSecret: secret }: Credentials,
  unrelated: string,
): WrongSecrets {
  const other = unrelated.padEnd(secret.length, 'x').slice(0, Math.max(8, secret.length));
  const altered = alteredSecrets(secret);
  const of = (kind: Alteration): readonly WrongSecret[] =>
    altered.filter(({ alteration }) => alteration === kind);
  return {
    likely: [
      { description: "with a client_secret that is not the client's", secret: other },
      { description: 'without client_secret', secret: null },
      { description: 'with an empty client_secret', secret: '' },
    ],
    altered: {
      case: of('case'),
      beginning: of('beginning'),
      continued: [
        ...of('continued'),
        { description: 'with the client_secret followed by a blank', secret: `${secret} ` },
        {
          description: 'with the client_secret followed by NUL and other characters',
          secret: `${secret}\0x`,
        },
        { description: 'with the client_secret followed by a line end', secret: `${secret}\n` },
      ],
      changed: of('changed'),
      other: [
        { description: 'with % as its client_secret', secret: '%' },
        { description: 'with .* as its client_secret', secret: '.*' },
        { description: 'with an array as its client_secret', secret: other, field: 'client_secret[]' },
        { description: 'with a blank before the client_secret', secret: ` ${secret}` },
        ...of('other'),
        { description: 'with * as its client_secret', secret: '*' },
        { description: 'with the client_id as its client_secret', secret: clientId },
        { description: 'with null as its client_secret', secret: 'null' },
        { description: 'with an object as its client_secret', secret: other, field: 'client_secret[$ne]' },
        {
          description: "with a client_secret that is not the client's and without scope",
          secret: other,
          isWithoutScope: true,
        },
      ],
    },
  };
}
