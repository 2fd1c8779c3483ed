import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

const lock = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../../package-lock.json'), 'utf8'),
) as {
  readonly packages: { readonly [folder: string]: Locked };
};
const installed = Object.entries(lock.packages).filter(([folder]) => folder !== '');

describe('dependencies', () => {
  it('have no install scripts if they are needed at run time', () => {
    // fsevents builds nothing: it is optional, for one system, and not installed elsewhere.
    const scripted = installed.filter(
      ([folder, { dev, optional, hasInstallScript }]) =>
        hasInstallScript === true && dev !== true && !(optional === true && folder.endsWith('/fsevents')),
    );
    expect(scripted.map(([folder]) => folder)).toEqual([]);
  });

  it('are pinned by hash', () => {
    for (const [folder, { integrity, link }] of installed) {
      expect([folder, link ?? false]).toEqual([folder, false]);
      expect([folder, integrity]).toEqual([folder, expect.stringMatching(/^sha512-/)]);
    }
  });
});
