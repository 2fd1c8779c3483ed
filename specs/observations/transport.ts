import { isLoopback } from '../../src/core/exchange.ts';
import { observation } from '../../src/judge/observation.ts';

export const transport = observation({
  id: 'observe/transport',
  clause: ['4.2'],
  of: `HTTP version, TLS version, expiry of the certificate, and whether connections are kept alive. Needs attention for
    plain http except on loopback.`,
  advice: 'RFC 6749, section 3.2 and RFC 6750, section 5.3: send tokens and credentials over TLS only.',
  scope: 'target',
  observe: ({ exchanges, target }) => {
    const answered = exchanges.filter(({ answer }) => answer !== null);
    if (answered.length === 0) return null;
    const versions = [...new Set(answered.map(({ answer }) => `HTTP/${answer?.httpVersion}`))];
    const connections = new Set(answered.map(({ connection }) => connection)).size;
    const plain = [target.authUrl, target.baseUrl].filter(
      (url) => url.startsWith('http:') && !isLoopback(new URL(url)),
    );
    const secured = answered.flatMap(({ tls }) => (tls === undefined ? [] : [tls]));
    const tls = [...new Set(secured.map(({ version }) => version))];
    const ends = [...new Set(secured.flatMap(({ certificateEnds }) => certificateEnds ?? []))].sort();
    const [end] = ends;
    return {
      value: [
        ...versions,
        ...tls,
        connections < answered.length ? 'connections kept alive' : 'a connection for each request',
        ...(end === undefined ? [] : [`certificate until ${end.slice(0, 10)}`]),
        ...(plain.length > 0 ? ['plain http'] : []),
      ].join(', '),
      attention: plain.length > 0,
      detail: {
        versions,
        tls,
        certificateEnds: ends,
        connections,
        requests: answered.length,
        plainHttp: plain,
      },
    };
  },
});
