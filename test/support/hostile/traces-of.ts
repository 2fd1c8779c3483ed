import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, inflateRawSync } from 'node:zlib';

/** The forms in which a secret may occur: as it is, and in the encodings of formats and protocols. */
export function formsOf(secret: string, clientId: string | null): readonly string[] {
  const bytes = Buffer.from(secret);
  // UTF-8 read as Latin-1, as in HTTP headers.
  const misread = bytes.toString('latin1');
  const escaped = [...secret]
    .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
  const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const forms = [
    secret,
    misread,
    encodeURIComponent(secret),
    new URLSearchParams([['', secret]]).toString().slice(1),
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(misread).slice(1, -1),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    escaped,
    escaped.toUpperCase().replaceAll('\\U', '\\u'),
    html,
    html.replaceAll("'", '&#39;'),
    bytes.toString('hex'),
    [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    // Most of a secret is as sensitive as all of it.
    secret.slice(0, -1),
    secret.slice(1),
    // So is half of it.
    ...halvesOf(secret),
    ...base64Of(bytes),
    ...base64Of(Buffer.from(new URLSearchParams([['', secret]]).toString().slice(1))),
    bytes.toString('hex').toUpperCase(),
    encodeURIComponent(encodeURIComponent(secret)),
  ];
  if (clientId !== null) forms.push(...base64Of(Buffer.from(`${clientId}:${secret}`)));
  return [...new Set(forms)];
}

// Tokens share a prefix that may be shown; only the second half identifies one.
function halvesOf(secret: string): readonly string[] {
  const half = Math.floor(secret.length / 2);
  if (half < 12) return [];
  return secret.startsWith('canary') ? [secret.slice(0, half), secret.slice(half)] : [secret.slice(half)];
}

// With any neighbours: characters that depend on the surrounding bytes are omitted.
function base64Of(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const inner = text.slice(before === 0 ? 0 : 4, -4);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Every file in a folder and its archives, with its bytes. */
export function* filesBelow(folder: string): Generator<readonly [name: string, bytes: Buffer]> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const name = path.join(entry.parentPath, entry.name);
    const bytes = readFileSync(name);
    yield [name, bytes];
    if (name.endsWith('.gz')) yield [`${name} (opened)`, gunzipSync(bytes)];
    if (name.endsWith('.zip')) yield* membersOf(name, bytes);
  }
}

/** The files in a ZIP archive, from its central directory. */
function* membersOf(name: string, bytes: Buffer): Generator<readonly [name: string, bytes: Buffer]> {
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const packed = bytes.readUInt32LE(at + 20);
    const nameLength = bytes.readUInt16LE(at + 28);
    const local = bytes.readUInt32LE(at + 42);
    const data = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const content = bytes.subarray(data, data + packed);
    const member = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    yield [`${name} (${member})`, bytes.readUInt16LE(at + 10) === 8 ? inflateRawSync(content) : content];
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
}

/** The locations of the texts, with secrets identified by their keys. */
export function found(
  name: string,
  bytes: Buffer,
  forms: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const searched = [...forms].flatMap(([secret, texts]) =>
    texts.map((text) => ({ secret, text: Buffer.from(text) })),
  );
  // Folded text may contain line breaks and the blanks after them.
  const unfolded = bytes.toString('latin1').replace(/\r?\n[ \t]+|\\r\\n[ \t]+/g, '');
  const held = new Set([...heldIn(bytes, searched), ...heldIn(Buffer.from(unfolded, 'latin1'), searched)]);
  return [...held].map(
    ({ secret, text }) => `${secret} is in ${name} as ${text.toString('latin1').slice(0, 60)}`,
  );
}

/** Those of thousands of texts that bytes hold, found in one pass: by their last four bytes, then as a whole. */
function heldIn<Searched extends { readonly text: Buffer }>(
  bytes: Buffer,
  searched: readonly Searched[],
): ReadonlySet<Searched> {
  // By the end, because tokens and their forms begin alike.
  const byEnd = new Map<number, Searched[]>();
  for (const one of searched) {
    const end = one.text.readUInt32BE(one.text.length - 4);
    const alike = byEnd.get(end);
    if (alike === undefined) byEnd.set(end, [one]);
    else alike.push(one);
  }
  // Most places are ruled out by a bit of a hash of their four bytes.
  const marks = new Uint8Array(2 ** 20);
  const markOf = (end: number): number => (end ^ (end >>> 12)) & (marks.length - 1);
  for (const end of byEnd.keys()) marks[markOf(end)] = 1;
  const held = new Set<Searched>();
  let end = 0;
  for (let read = 1; read <= bytes.length; read += 1) {
    end = ((end << 8) | (bytes[read - 1] ?? 0)) >>> 0;
    if (marks[markOf(end)] === 0) continue;
    for (const one of byEnd.get(end) ?? []) {
      const from = read - one.text.length;
      if (from >= 0 && bytes.compare(one.text, 0, one.text.length, from, read) === 0) held.add(one);
    }
  }
  return held;
}
