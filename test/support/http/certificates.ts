import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CertificateExtension } from 'selfsigned';
import { generate } from 'selfsigned';
import { temporaryFolder } from '../temporary-folder.ts';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority. */
export function authority(name: string): Promise<Certificate> {
  return certificate(name, [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ]);
}

/** A certificate for a name and an address, signed by the authority. */
export function signed(
  name: string,
  by: Certificate,
  { ip = '127.0.0.1', ...dates }: Dates & { readonly ip?: string | null } = {},
): Promise<Certificate> {
  const extensions: CertificateExtension[] = [
    { name: 'basicConstraints', cA: false },
    {
      name: 'subjectAltName',
      altNames: [{ type: 2, value: name }, ...(ip === null ? [] : [{ type: 7 as const, ip }])],
    },
  ];
  return certificate(name, extensions, by, dates);
}

interface Dates {
  readonly notBeforeDate?: Date;
  readonly notAfterDate?: Date;
}

async function certificate(
  name: string,
  extensions: CertificateExtension[],
  by?: Certificate,
  dates: Dates = {},
): Promise<Certificate> {
  const result = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions,
    ...(by === undefined ? {} : { ca: by }),
    ...dates,
  });
  return { cert: result.cert, key: result.private };
}

/** Writes texts to files that are removed after the test; returns their paths in the same order. */
export function files(...texts: readonly string[]): string[] {
  const folder = temporaryFolder('tls');
  return texts.map((text, index) => {
    const file = path.join(folder, `${index}.pem`);
    writeFileSync(file, text);
    return file;
  });
}
