import type { CertificateExtension } from 'selfsigned';

/** A server's certificate and key, and the authority that clients must trust; all PEM. */
interface ServerCertificate {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

const day = 86_400_000;

/**
 * Creates an authority and a certificate for loopback, valid for 30 days. The authority's key is discarded,
 * so that it cannot sign anything else.
 */
export async function loopbackCertificate(): Promise<ServerCertificate> {
  const { generate } = await import('selfsigned');
  const now = Date.now();
  const dates = { notBeforeDate: new Date(now - day), notAfterDate: new Date(now + 30 * day) };
  const make = (name: string, extensions: CertificateExtension[], by?: { cert: string; key: string }) =>
    generate([{ name: 'commonName', value: name }], {
      keyType: 'ec',
      algorithm: 'sha256',
      extensions,
      ...dates,
      ...(by === undefined ? {} : { ca: by }),
    });
  const authority = await make('Assay mock: authority of one start', [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ]);
  const server = await make(
    'localhost',
    [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
    { cert: authority.cert, key: authority.private },
  );
  return { ca: authority.cert, cert: server.cert, key: server.private };
}
