import { expect, it } from 'vitest';
import { encodedField } from '../../../src/evidence/redaction/secret-forms.ts';
import { Restorer, secretFactsOf } from '../../../src/evidence/secret-facts.ts';
import { alteredSecrets } from '../../../src/provider/wrong-secrets.ts';

it.each([
  'f3b1c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
  'K3y.with_All-kinds',
  's3cr+t/Value==',
  'abC8Q~xyz0123456',
  'two words',
  'plain0123456789A',
])(
  'the client secret %j and its stand-in have the same altered copies, and forms spell both alike',
  (secret) => {
    const standIn = new Restorer().learn(secretFactsOf(secret, 'client-secret'));
    const labelsOf = (one: string): readonly string[] => alteredSecrets(one).map(({ label }) => label);
    expect(labelsOf(standIn)).toEqual(labelsOf(secret));
    expect(encodedField(standIn) === standIn).toBe(encodedField(secret) === secret);
    expect(standIn).toHaveLength(secret.length);
  },
);
