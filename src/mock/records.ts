/** One record of a list, as served. */
export interface Printer {
  readonly id: string;
  readonly displayName: string;
  readonly agent: string;
}

// Names beyond ASCII stand among the others so that wrong encodings show.
const places = ['Lobby', 'Köln', 'Warehouse', 'Łódź', 'Floor 2', 'São Paulo', 'Archive', '東京', 'Reception'];
const kinds = ['Laser', 'Label', 'Inkjet', 'Plotter', 'Multifunction'];

/** A one-to-one mixing of 32-bit numbers: different inputs never give the same output. */
export function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

// Two hexadecimal digits for every byte: much faster than formatting numbers one by one.
const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hex(value: number): string {
  return `${digits[value >>> 24]}${digits[(value >>> 16) & 255]}${digits[(value >>> 8) & 255]}${digits[value & 255]}`;
}

/** The salt of one list: a number made of the seed and the list's path. */
export function saltOf(seed: number, path: string): number {
  let salt = mix(seed ^ 0x5bd1e995);
  for (let index = 0; index < path.length; index += 1) salt = mix(salt ^ path.charCodeAt(index));
  return salt;
}

function compute(record: number, salt: number): Printer {
  const first = mix(record ^ salt);
  const second = hex(mix(first ^ 0x9e3779b9));
  const third = hex(mix(first + 0x7f4a7c15));
  const fourth = mix(first ^ 0x1b873593);
  const id = `${hex(first)}-${second.slice(0, 4)}-${second.slice(4)}-${third.slice(0, 4)}-${third.slice(4)}${hex(fourth)}`;
  return {
    id,
    displayName: `${kinds[fourth % kinds.length]} ${places[first % places.length]} ${record + 1}`,
    agent: `agent-${(fourth >>> 8) % 97}.example`,
  };
}

const rememberedRecords = 4096;
const rememberedLists = 8;
const remembered = new Map<number, Printer[]>();

function memoryOf(salt: number): Printer[] {
  let records = remembered.get(salt);
  if (records === undefined) {
    if (remembered.size >= rememberedLists) remembered.clear();
    records = [];
    remembered.set(salt, records);
  }
  return records;
}

/**
 * Computes a record from its number and the list's salt. Identifiers never collide within a list. Only the
 * first few thousand records are remembered, because they are asked for again and again; so memory stays
 * flat however long the list is.
 */
export function recordOf(record: number, salt: number): Printer {
  if (record >= rememberedRecords) return compute(record, salt);
  const records = memoryOf(salt);
  const known = records[record];
  if (known !== undefined) return known;
  const printer = compute(record, salt);
  records[record] = printer;
  return printer;
}
