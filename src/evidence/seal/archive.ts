import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { filesOf, MANIFEST, SealError, SIGNATURE, SUBMISSION } from './manifest.ts';
import { CENTRAL, END, LOCAL, MIDNIGHT_1980, UTF8_NAMES, VERSION, ZIP32 } from './zip-words.ts';

interface Member {
  readonly name: string;
  readonly crc: number;
  readonly size: number;
  readonly offset: number;
}

/**
 * Writes submission.zip: the manifest, its signature and every file of a run. Members are stored as they are and bear
 * no time, so that the same files give the same archive, bit for bit, on every machine.
 *
 * @throws SealError where it would be larger than a plain zip file may be; Node's error where it cannot be written
 */
export async function writeArchive(folder: string): Promise<void> {
  await pipeline(archivePieces(folder), createWriteStream(path.join(folder, SUBMISSION)));
}

/** What submission.zip has to be for the files as they are now, piece by piece. */
export async function* archivePieces(folder: string): AsyncGenerator<Uint8Array> {
  const seals = [MANIFEST, SIGNATURE].filter((file) => existsSync(path.join(folder, file)));
  const members: Member[] = [];
  let offset = 0;
  for (const name of [...seals, ...(await filesOf(folder))]) {
    const member = { name, offset, ...(await checksumOf(path.join(folder, name))) };
    const head = localHead(member);
    offset += head.length + member.size;
    if (offset > ZIP32 || members.length >= 0xffff)
      throw new SealError(`${SUBMISSION} cannot be made: the run is larger than a zip file may be`);
    members.push(member);
    yield head;
    for await (const chunk of createReadStream(path.join(folder, name))) yield chunk as Uint8Array;
  }
  const directory = Buffer.concat(members.map(directoryEntry));
  yield directory;
  yield endOf(members.length, directory.length, offset);
}

/** Whether submission.zip is, bit for bit, the archive of the files beside it. Throws Node's error where it cannot be read. */
export async function archiveFits(folder: string, archive: string): Promise<boolean> {
  const expected = archivePieces(folder);
  try {
    let piece: Uint8Array = Buffer.alloc(0);
    for await (const chunk of createReadStream(archive)) {
      let rest = chunk as Uint8Array;
      while (rest.length > 0) {
        while (piece.length === 0) {
          const next = await expected.next();
          if (next.done === true) return false;
          piece = next.value;
        }
        const length = Math.min(piece.length, rest.length);
        if (Buffer.compare(piece.subarray(0, length), rest.subarray(0, length)) !== 0) return false;
        piece = piece.subarray(length);
        rest = rest.subarray(length);
      }
    }
    if (piece.length > 0) return false;
    for await (const more of expected) if (more.length > 0) return false;
    return true;
  } finally {
    await expected.return(undefined);
  }
}

async function checksumOf(file: string): Promise<{ readonly crc: number; readonly size: number }> {
  let crc = 0;
  let size = 0;
  for await (const chunk of createReadStream(file)) {
    crc = crc32(chunk as Uint8Array, crc);
    size += (chunk as Uint8Array).length;
  }
  return { crc, size };
}

/** What both heads of a member have in common, 26 bytes. */
function common({ name, crc, size }: Member): Buffer {
  const bytes = Buffer.alloc(26);
  bytes.writeUInt16LE(VERSION, 0);
  bytes.writeUInt16LE(UTF8_NAMES, 2);
  bytes.writeUInt32LE(MIDNIGHT_1980, 6);
  bytes.writeUInt32LE(crc, 10);
  bytes.writeUInt32LE(size, 14);
  bytes.writeUInt32LE(size, 18);
  bytes.writeUInt16LE(Buffer.byteLength(name), 22);
  return bytes;
}

function localHead(member: Member): Buffer {
  return Buffer.concat([word(LOCAL), common(member), Buffer.from(member.name)]);
}

function directoryEntry(member: Member): Buffer {
  const made = Buffer.alloc(2);
  made.writeUInt16LE((UNIX << 8) | VERSION);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(PLAIN_FILE, 6);
  tail.writeUInt32LE(member.offset, 10);
  return Buffer.concat([word(CENTRAL), made, common(member), tail, Buffer.from(member.name)]);
}

function endOf(members: number, bytes: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(members, 8);
  end.writeUInt16LE(members, 10);
  end.writeUInt32LE(bytes, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const UNIX = 3;
/** A regular file that everybody may read and its owner write. */
const PLAIN_FILE = 0o100_644 * 0x1_0000;
