import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { dispatch } from '../../../src/cli/program.ts';
import type { Results } from '../../../src/core/results.ts';
import type { Mock } from '../../../src/mock/index.ts';
import { headline } from '../../../src/report/wording/headline.ts';
import { fakeHost } from '../../support/fake-host.ts';
import { startFront } from '../../support/hostile/altering-proxy.ts';
import { openMock } from '../../support/judge-mock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { Situation } from './situation.ts';
import { SITUATIONS } from './situations.ts';

const cwd = temporaryFolder('situations');

/** Writes the target file of a situation. */
function writeTarget(file: string, mock: Mock, url: string, changes: Situation['target'] = {}): void {
  const { tenant, credentials, otherCredentials, expiredToken } = mock;
  const {
    credentials: changed,
    limits,
    https,
    ...rest
  } = changes as {
    credentials?: object;
    limits?: object;
    https?: boolean;
  };
  const base = https === true ? url.replace('http:', 'https:') : url;
  const target = {
    name: 'acme',
    authUrl: base,
    baseUrl: base,
    tenant,
    otherCredentials,
    expiredToken,
    ...rest,
    credentials: { ...credentials, ...changed },
    limits: { requestsPerSecond: 10_000, ...limits },
  };
  writeFileSync(file, JSON.stringify(target), { mode: 0o600 });
}

describe('the exit status, outcome, headline and causes of', () => {
  test.each(Object.entries(SITUATIONS).map(([name, row], index) => [name, row, index] as const))(
    '%s',
    async (_name, [expected, situation = {}], index) => {
      const mock = await openMock(situation.mock ?? {});
      const behaviour = situation.gateway ?? (({ answer }) => answer);
      const front = await startFront({ behind: mock.authUrl, behaviour });
      try {
        const [file, out, base] = [`${index}.json`, `out-${index}`, `base-${index}`].map((name) =>
          path.join(cwd, name),
        ) as [string, string, string];
        writeTarget(
          file,
          mock,
          situation.gateway === undefined ? mock.baseUrl : front.origin,
          situation.target,
        );
        const run = (options: string, ...words: readonly string[]): Promise<number> =>
          dispatch(['run', file, '--quiet', ...options.split(' ').filter(Boolean), ...words], fakeHost());
        if (situation.baseline !== undefined) await run(situation.baseline, '--out', base);
        const accepted = situation.baseline === undefined ? [] : ['--baseline', base];
        const status = await run(situation.options ?? '', ...accepted, '--out', out);
        const results = JSON.parse(readFileSync(path.join(out, 'results.json'), 'utf8')) as Results;
        const requirements = results.targets.flatMap((target) => target.requirements);
        const failed = requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
        const open = requirements.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'fail');
        for (const { cause } of open) expect(cause).not.toBeNull();
        const kinds = new Set(open.map(({ cause }) => cause?.kind));
        kinds.delete('unselected');
        kinds.delete('unconfigured');
        expect({ status, outcome: results.outcome, failed }).toEqual({
          status: expected.status,
          outcome: expected.outcome,
          failed: expected.failed ?? [],
        });
        if (expected.causes !== undefined)
          expect([...kinds].toSorted()).toEqual([...expected.causes].toSorted());
        if (expected.headline !== undefined) expect(headline(results)).toContain(expected.headline);
        if (expected.key !== undefined)
          expect(
            new Set(open.flatMap(({ cause }) => (cause?.kind === 'configuration' ? [cause.key] : []))),
          ).toEqual(new Set([expected.key]));
      } finally {
        await front.close();
      }
    },
  );
});
