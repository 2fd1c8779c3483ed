import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  AlteredArchiveError,
  archiveFits,
  unpackArchive,
  writeArchive,
} from '../../../src/evidence/seal/archive.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const FILES = {
  'manifest.json': '{}',
  'allure-results/one.json': '{"a":1}',
  'empty.txt': '',
  'results.json': 'x'.repeat(200_000),
};

let folder = '';
let archive = '';

beforeEach(async () => {
  folder = temporaryFolder('archive');
  archive = path.join(folder, 'submission.zip');
  mkdirSync(path.join(folder, 'allure-results'));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(folder, name), text);
  await writeArchive(folder);
});

async function unpacked(content: Uint8Array): Promise<void> {
  writeFileSync(archive, content);
  await unpackArchive(archive, temporaryFolder('unpacked'));
}

describe('submission.zip', () => {
  it('contains every file of the run, readable by other tools', ({ skip }) => {
    const members = unzipSync(readFileSync(archive));
    expect(Object.keys(members).sort()).toEqual(Object.keys(FILES).sort());
    for (const [name, text] of Object.entries(FILES))
      expect(Buffer.from(members[name] ?? []).toString()).toBe(text);
    if (spawnSync('unzip', ['-v']).status !== 0) skip('there is no unzip here');
    const { status, stdout } = spawnSync('unzip', ['-t', archive], { encoding: 'utf8' });
    expect(status, stdout).toBe(0);
  });

  it('is always identical, byte for byte', async () => {
    const before = readFileSync(archive);
    utimesSync(path.join(folder, 'results.json'), new Date(0), new Date(0));
    await writeArchive(folder);
    expect(readFileSync(archive).equals(before)).toBe(true);
    expect(await archiveFits(folder, archive)).toBe(true);
  });

  it('does not match other, missing or additional files', async () => {
    const whole = readFileSync(archive);
    for (const changed of [
      whole.subarray(0, -1),
      Buffer.concat([whole, Buffer.from([0])]),
      Buffer.from(whole).fill(1, 150_000, 150_001),
      Buffer.alloc(0),
    ]) {
      writeFileSync(archive, changed);
      expect(await archiveFits(folder, archive)).toBe(false);
    }
    writeFileSync(archive, whole);
    writeFileSync(path.join(folder, 'results.json'), 'y');
    expect(await archiveFits(folder, archive)).toBe(false);
  });

  it('can be unpacked', async () => {
    const place = temporaryFolder('unpacked');
    await unpackArchive(archive, place);
    for (const [name, text] of Object.entries(FILES))
      expect(readFileSync(path.join(place, name), 'utf8')).toBe(text);
    expect(await archiveFits(place, archive)).toBe(true);
  });

  it.each(['../outside', '/etc/outside', 'a/../../outside', 'a\\outside', 'C:outside', '.hidden'])(
    'writes no file named %s',
    async (name) => {
      const made = zipSync({ [name]: strToU8('x') }, { level: 0 });
      await expect(unpacked(made)).rejects.toThrow(
        'submission.zip was changed: a file in it has a name that no run has',
      );
    },
  );

  it('rejects compressed, duplicate or truncated members', async () => {
    const packed = zipSync({ 'results.json': strToU8('x'.repeat(1000)) }, { level: 9 });
    await expect(unpacked(packed)).rejects.toThrow('results.json is compressed');
    const stored = Buffer.from(zipSync({ a1: strToU8('xyz'), a2: strToU8('xyz') }, { level: 0 }));
    const doubled = Buffer.from(stored.toString('latin1').replaceAll('a2', 'a1'), 'latin1');
    await expect(unpacked(doubled)).rejects.toThrow('a1 is in it twice');
    const clashing = zipSync({ a: strToU8('x'), 'a/b': strToU8('y') }, { level: 0 });
    await expect(unpacked(clashing)).rejects.toThrow('a is both a file and a folder');
    for (const cut of [stored.subarray(0, -1), stored.subarray(0, 40)])
      await expect(unpacked(cut)).rejects.toThrow(AlteredArchiveError);
    await expect(unpacked(Buffer.from('no zip'))).rejects.not.toThrow(AlteredArchiveError);
  });
});
