/** One record of a list, as served. */
export interface Printer {
  readonly id: string;
  readonly displayName: string;
  readonly agent: string;
}

// Some names are not ASCII, so that wrong encodings show.
const LOCATIONS = [
  'Lobby',
  'Köln',
  'Warehouse',
  'Łódź',
  'Floor 2',
  'São Paulo',
  'Archive',
  '東京',
  'Reception',
];
const KINDS = ['Laser', 'Label', 'Inkjet', 'Plotter', 'Multifunction'];

/** A bijective hash of 32-bit numbers: different inputs never give the same output. */
export function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

// A table of two digits per byte is much faster than formatting each number.
const HEX_DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hex(value: number): string {
  const first = `${HEX_DIGITS[value >>> 24]}${HEX_DIGITS[(value >>> 16) & 255]}`;
  return `${first}${HEX_DIGITS[(value >>> 8) & 255]}${HEX_DIGITS[value & 255]}`;
}

/** The salt of one list: a number made of the seed and the list's path. */
export function saltOf(seed: number, path: string): number {
  let salt = mix(seed ^ 0x5bd1e995);
  for (let index = 0; index < path.length; index += 1) salt = mix(salt ^ path.charCodeAt(index));
  return salt;
}

function computeRecord(record: number, salt: number): Printer {
  const first = mix(record ^ salt);
  const second = hex(mix(first ^ 0x9e3779b9));
  const third = hex(mix(first + 0x7f4a7c15));
  const fourth = mix(first ^ 0x1b873593);
  const id = `${hex(first)}-${second.slice(0, 4)}-${second.slice(4)}-${third.slice(0, 4)}-${third.slice(4)}${hex(fourth)}`;
  return {
    id,
    displayName: `${KINDS[fourth % KINDS.length]} ${LOCATIONS[first % LOCATIONS.length]} ${record + 1}`,
    agent: `agent-${(fourth >>> 8) % 97}.example`,
  };
}

const MAX_CACHED_RECORDS = 4096;
const MAX_CACHED_LISTS = 8;
const recordCache = new Map<number, Printer[]>();

/**
 * Computes a record from its number and the salt of the list. Identifiers never collide within a list. Only the
 * first records are cached, because they are requested most often, so memory does not grow with the list.
 */
export function recordOf(record: number, salt: number): Printer {
  if (record >= MAX_CACHED_RECORDS) return computeRecord(record, salt);
  const records = recordCache.get(salt) ?? [];
  if (!recordCache.has(salt)) {
    if (recordCache.size >= MAX_CACHED_LISTS) recordCache.clear();
    recordCache.set(salt, records);
  }
  records[record] ??= computeRecord(record, salt);
  return records[record];
}
