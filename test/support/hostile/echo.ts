import type { Answer, Behaviour, Call } from './altering-proxy.ts';
import type { Members } from './hostile-behaviours.ts';

/**
 * A nearly conforming provider that repeats recent request data in every answer: in headers, links, records
 * and error descriptions, in many encodings.
 *
 * @param issued collects every token that it issues
 */
export function echoing(issued: Set<string>): Behaviour {
  const repeated = new Set<string>();
  return (call) => {
    for (const secret of secretsIn(call)) repeated.add(secret);
    const token = /"access_token":"([^"]+)"/.exec(call.answer.body.toString())?.[1];
    if (token !== undefined) issued.add(token);
    return repeating(call, [...repeated].slice(-12));
  };
}

function secretsIn({ head, body }: Call): readonly string[] {
  return [
    /^authorization: bearer (.*)$/im.exec(head)?.[1] ?? '',
    /^x-api-key: (.*)$/im.exec(head)?.[1] ?? '',
    new URLSearchParams(body).get('client_secret') ?? '',
  ].filter((secret) => secret.length > 20);
}

function repeating(call: Call, secrets: readonly string[]): Answer {
  const { answer } = call;
  const last = secrets.at(-1) ?? '';
  const base64 = Buffer.from(`some-client:${last}`).toString('base64');
  const encoded = secrets.map((secret) => encodeURIComponent(secret).replaceAll('%20', '+'));
  const headers = [
    ...answer.headers,
    ...secrets.map((secret) => ['X-Echo', Buffer.from(secret).toString('latin1')] as const),
    ['X-Encoded', encoded.join('; ')],
    ['X-Base64', secrets.map((secret) => Buffer.from(`a${secret}`).toString('base64')).join(' ')],
    ['WWW-Authenticate', `Basic ${base64}, error_description="${encoded.at(-1)}"`],
    ['Set-Cookie', `session=${base64}`],
    ...secrets.map((secret) => ['X-More', moreForms(secret).join(' ')] as const),
  ] as const;
  return { ...answer, reason: `Told ${encoded.at(-1)}`, headers, body: bodyOf(call, secrets) };
}

/** Transformations that a gateway may apply to a secret before it logs or repeats it. */
function moreForms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const form = new URLSearchParams([['client_secret', secret]]).toString();
  const everyByte = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return [
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    everyByte,
    everyByte.toUpperCase(),
    encodeURIComponent(encodeURIComponent(secret)),
    ...['', 'a', 'ab'].map((before) => Buffer.from(`${before}client-one:${secret}`).toString('base64')),
    ...['', 'a', 'ab'].map((before) => Buffer.from(before + form).toString('base64')),
    Buffer.from(JSON.stringify({ client_secret: secret })).toString('base64url'),
  ];
}

const EDGES = 9;
let refusals = 0;

/**
 * The secret at places where excerpts are likely to end, so that a careless excerpt would contain half of it.
 */
function atEdges(secret: string): readonly string[] {
  return [40, 80, 120, 160, 200, 400, 2000, 4000].map((edge) => {
    const before = Math.max(0, edge - Math.floor(secret.length / 2));
    return `${'.'.repeat(before)}${secret}`;
  });
}

function bodyOf({ answer, kind }: Call, secrets: readonly string[]): Buffer {
  const last = secrets.at(-1) ?? '';
  const escaped = [...last]
    .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
  if (answer.status !== 200) {
    const description = `you said ${last} and ${Buffer.from(last).toString('base64url')}`;
    const said = { error: 'invalid_client', error_description: description, all: secrets };
    const edge = refusals % EDGES;
    refusals += 1;
    // The body fills an excerpt up to each of its limits, with the secret at the edge.
    if (edge > 0) return Buffer.from(atEdges(last)[edge - 1] ?? '');
    return Buffer.from(`${JSON.stringify(said).slice(0, -1)},"again":"${escaped}"}`);
  }
  const members = JSON.parse(answer.body.toString()) as Members;
  members['echo'] = [...secrets, JSON.stringify(secrets), encodeURIComponent(last)];
  members['page'] = `<a href="?token=${encodeURIComponent(last)}">${last}</a>`;
  if (kind === 'list') {
    if (typeof members.nextPageLink === 'string')
      members.nextPageLink += `&echo=${encodeURIComponent(last)}&$skip=${encodeURIComponent(last)}`;
    const [first] = members.items ?? [];
    if (first !== undefined)
      Object.assign(first, { displayName: secrets, agent: { said: last, edges: atEdges(last) } });
  } else members['token_type'] = `Bearer ${last}`;
  return Buffer.from(`${JSON.stringify(members).slice(0, -1)},"again":"${escaped}"}`);
}
