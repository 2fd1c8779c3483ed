import type { Answer, Behaviour, Call } from './front.ts';
import type { Members } from './spoil.ts';

/**
 * A provider that answers almost as it should, and repeats in every answer what it was told lately: in headers, in
 * links, in records, in error descriptions, in whatever form.
 *
 * @param issued gathers every token that it issues
 */
export function echoing(issued: Set<string>): Behaviour {
  const told = new Set<string>();
  return (call) => {
    for (const secret of secretsIn(call)) told.add(secret);
    const token = /"access_token":"([^"]+)"/.exec(call.answer.body.toString())?.[1];
    if (token !== undefined) issued.add(token);
    return repeating(call, [...told].slice(-12));
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
  ] as const;
  return { ...answer, reason: `Told ${encoded.at(-1)}`, headers, body: bodyOf(call, secrets) };
}

function bodyOf({ answer, kind }: Call, secrets: readonly string[]): Buffer {
  const last = secrets.at(-1) ?? '';
  const escaped = [...last]
    .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
  if (answer.status !== 200) {
    const description = `you said ${last} and ${Buffer.from(last).toString('base64url')}`;
    const said = { error: 'invalid_client', error_description: description, all: secrets };
    return Buffer.from(`${JSON.stringify(said).slice(0, -1)},"again":"${escaped}"}`);
  }
  const members = JSON.parse(answer.body.toString()) as Members;
  members['echo'] = [...secrets, JSON.stringify(secrets), encodeURIComponent(last)];
  members['page'] = `<a href="?token=${encodeURIComponent(last)}">${last}</a>`;
  if (kind === 'list') {
    if (typeof members.nextPageLink === 'string')
      members.nextPageLink += `&echo=${encodeURIComponent(last)}&$skip=${encodeURIComponent(last)}`;
    const [first] = members.items ?? [];
    if (first !== undefined) Object.assign(first, { displayName: secrets, agent: { said: last } });
  } else members['token_type'] = `Bearer ${last}`;
  return Buffer.from(`${JSON.stringify(members).slice(0, -1)},"again":"${escaped}"}`);
}
