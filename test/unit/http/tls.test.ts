import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket, TlsOptions } from 'node:tls';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Exchange } from '../../../src/core/exchange.ts';
import type { Target } from '../../../src/target/target.ts';
import type { Certificate } from '../../support/http/certificates.ts';
import { authority, files, signed } from '../../support/http/certificates.ts';
import { bodyText, get, rawServer, rig } from '../../support/http/support.ts';

let ca: Certificate;
let server: Certificate;
let client: Certificate;

beforeAll(async () => {
  ca = await authority('Assay test authority');
  [server, client] = await Promise.all([signed('localhost', ca), signed('client', ca)]);
});

async function secureServer(options: TlsOptions): Promise<string> {
  const listening = createServer(options, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    response.end(`${request.url} ${subject?.CN ?? 'nobody'}`);
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void listening.close().closeAllConnections());
  return `https://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

async function ask(origin: string, tls: Partial<Target['tls']>): Promise<Exchange> {
  const { client } = rig([origin], {}, { tls: { ca: null, cert: null, key: null, ...tls } });
  return await client.send(get(origin, "/v1/printers?$count=true&x='"));
}

describe('TLS', () => {
  it('trusts the authority of the target, and sends the request target unchanged', async () => {
    const origin = await secureServer(server);
    const [file = ''] = files(ca.cert);
    expect(bodyText(await ask(origin, { ca: file }))).toBe("/v1/printers?$count=true&x=' nobody");
  });

  it('also trusts the authorities of NODE_EXTRA_CA_CERTS, as without one of the target', async () => {
    const origin = await secureServer(server);
    const [file = '', other = ''] = files(ca.cert, (await authority('another one')).cert);
    vi.stubEnv('NODE_EXTRA_CA_CERTS', file);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await ask(origin, { ca: other })).failure).toBeNull();
  });

  it('sends the client certificate', async () => {
    const origin = await secureServer({
      ...server,
      ca: ca.cert,
      requestCert: true,
      rejectUnauthorized: true,
    });
    const [file = '', cert = '', key = ''] = files(ca.cert, client.cert, client.key);
    expect(bodyText(await ask(origin, { ca: file, cert, key }))).toMatch(/ client$/);
  });

  it('fails without the client certificate that the provider requires', async () => {
    const origin = await secureServer({
      ...server,
      ca: ca.cert,
      requestCert: true,
      rejectUnauthorized: true,
    });
    const [file = ''] = files(ca.cert);
    const { failure } = await ask(origin, { ca: file });
    expect(failure?.code).toMatch(/^(client-certificate|closed)$/);
    expect(failure?.message).toContain(origin);
  });

  it('checks certificates also where the environment asks for none of it', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { failure } = await ask(await secureServer(server), {});
    expect(failure?.code).toBe('untrusted');
  });

  it.each([
    ['an unknown authority', () => server, /its certificate is not signed by a trusted authority .*tls\.ca$/],
    [
      'an expired certificate',
      () => signed('localhost', ca, { notBeforeDate: new Date(0), notAfterDate: new Date(1e12) }),
      /its certificate has expired$/,
    ],
    [
      'a certificate of the future',
      () => signed('localhost', ca, { notBeforeDate: new Date(4e12), notAfterDate: new Date(4.1e12) }),
      /not valid yet/,
    ],
  ])('reports %s', async (what, make, sentence) => {
    const origin = await secureServer(await make());
    const [file = ''] = files(ca.cert);
    const { failure, answer } = await ask(origin, what === 'an unknown authority' ? {} : { ca: file });
    expect(answer).toBeNull();
    expect(failure?.code).toBe(what === 'an unknown authority' ? 'untrusted' : 'tls');
    expect(failure?.message).toMatch(sentence);
    expect(failure?.message).toMatch(/^TLS with https:\/\/127\.0\.0\.1:\d+ failed: /);
  });

  it('reports a different name', async () => {
    const origin = (await secureServer(await signed('other.example', ca))).replace('127.0.0.1', 'localhost');
    const [file = ''] = files(ca.cert);
    const { failure } = await ask(origin, { ca: file });
    expect(failure).toMatchObject({
      code: 'tls',
      message: expect.stringMatching(/issued for another name$/),
    });
  });

  it('fails in one sentence if the server does not speak TLS', async () => {
    for (const bytes of ['HTTP/1.1 400 Bad Request\r\n\r\n', '', '\x15\x03\x03\x00\x02\x02\x28']) {
      const plain = await rawServer((socket) =>
        socket.once('data', () => socket.end(Buffer.from(bytes, 'latin1'))),
      );
      const { failure } = await ask(plain.origin.replace('http:', 'https:'), {});
      expect(failure?.code).toBe('tls');
      expect(failure?.message).toMatch(/^TLS with https:\/\/127\.0\.0\.1:\d+ failed: [a-z ]+/);
      expect(failure?.message).not.toMatch(/\.c:|\n/);
    }
  });

  it.each([
    [
      'a file that is not there',
      () => ({ ca: '/nowhere/ca.pem' }),
      /the file \/nowhere\/ca\.pem of tls\.ca cannot be used: no such file or folder$/,
    ],
    [
      'a file that is no PEM',
      () => ({ cert: files('x')[0] ?? '', key: files(client.key)[0] ?? '' }),
      /of tls\.cert cannot be used: it contains no PEM text$/,
    ],
    [
      'a key that fits no certificate',
      () => ({ cert: files(client.cert)[0] ?? '', key: files(server.key)[0] ?? '' }),
      /key values mismatch/,
    ],
    [
      'a PEM that is broken',
      () => ({ cert: files('-----BEGIN CERTIFICATE-----\nxx\n')[0] ?? '', key: files(client.key)[0] ?? '' }),
      /./,
    ],
  ])('does not throw for %s', async (_what, tls, sentence) => {
    const origin = await secureServer(server);
    const { failure } = await ask(origin, tls());
    expect(failure?.code).toBe('tls');
    expect(failure?.message).toMatch(sentence);
    expect(failure?.message).not.toMatch(/\n|routines/);
  });
});
