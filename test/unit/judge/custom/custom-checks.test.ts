import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Results } from '../../../../src/core/results.ts';
import { sha256 } from '../../../../src/core/sha256.ts';
import { check, list, property, token } from '../../../../src/index.ts';
import { replay } from '../../../../src/run/replay/replay.ts';
import { ABOUT, judged, resultOf } from '../../../support/custom-checks.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('a custom check', () => {
  test('without expectations is inconclusive, not a pass', async () => {
    const idle = list('x/idle', { ...ABOUT, needs: 'a red printer' }, async ({ get }) => {
      await get();
    });
    expect(await resultOf(idle)).toMatchObject({
      verdict: 'inconclusive',
      cause: { kind: 'data', needs: 'a red printer' },
    });
  });

  test.each([
    { query: { $count: true, $pagesize: 3 }, records: 30 },
    { query: { $count: true, $pagesize: 3, $skip: 28 }, records: 30 },
    { query: { $pagesize: 3 }, records: null },
    { query: { $pagesize: 7, $skip: 28 }, records: 30 },
    { query: {}, records: 30 },
  ])('says that the list holds $records records after $query', async ({ query, records }) => {
    const lacking = list('x/lacking', ABOUT, async ({ get, inconclusive }) => {
      await get(query);
      inconclusive('there is no red printer');
    });
    expect((await resultOf(lacking)).cause).toEqual({ kind: 'data', needs: 'other data', records });
  });

  test('reads the JSON of an answer once', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    const often = list('x/often', ABOUT, async ({ get, expect: hold }) => {
      const answer = await get({ $pagesize: 3 });
      const { json } = answer;
      const before = parse.mock.calls.length;
      hold(answer.json === json, 'it is the same value each time');
      expect(parse.mock.calls.length).toBe(before);
    });
    expect((await resultOf(often)).verdict).toBe('pass');
  });

  test('is an error if it expects a promise, which would always hold', async () => {
    const unawaited = list('x/unawaited', ABOUT, async ({ get, expect: hold }) => {
      const isAnswered = get().then(({ status }) => status === 999);
      hold(isAnswered as unknown as boolean, 'the status is not 999');
    });
    expect(await resultOf(unawaited)).toMatchObject({
      verdict: 'error',
      cause: { kind: 'configuration', key: 'checks' },
    });
  });

  test('passes if all its expectations hold, and counts them', async () => {
    const whole = list('x/whole', ABOUT, async ({ records, expect: hold }) => {
      for await (const { id, position } of records({ pageSize: 7 }))
        hold(typeof id === 'string', `item ${position}`);
    });
    expect(await resultOf(whole)).toMatchObject({
      verdict: 'pass',
      cases: 30,
      requests: 6,
      rule: ABOUT.rule,
      clause: [],
    });
  });

  test('fails with proof if a second attempt confirms the breach', async () => {
    const tooMany = list('x/too-many', { ...ABOUT, clause: ['ours 1'] }, async ({ get, expect: hold }) => {
      const { json } = await get({ $count: true, $pagesize: 3 });
      const { count = 0 } = json as { count?: number };
      hold(count < 20, {
        message: `${count} records`,
        expected: 19,
        actual: count,
        counterexample: { count },
      });
    });
    const results = await judged([tooMany]);
    expect(results.outcome).toBe('non-conformant');
    const own = results.targets[0]?.requirements.at(-1);
    expect(own).toMatchObject({ id: 'x/too-many', verdict: 'fail', clause: ['ours 1'], cases: 2 });
    expect(own?.violations).toMatchObject([
      { message: '30 records', expected: 19, actual: 30, counterexample: { count: 30 } },
    ]);
    expect(own?.violations[0]?.exchanges).toHaveLength(1);
    expect(own?.violations[0]?.curl).toContain("/v1/printers?$count=true&$pagesize=3'");
  });

  test('does not fail for a breach that occurs once', async () => {
    let attempts = 0;
    const once = list('x/once', ABOUT, async ({ get, expect: hold }) => {
      await get();
      attempts++;
      hold(attempts > 1, 'only the first time');
    });
    expect(await resultOf(once)).toMatchObject({
      verdict: 'inconclusive',
      cause: { kind: 'intermittent', seen: 1 },
    });
  });

  test('that throws is an error with one sentence, for any thrown value', async () => {
    const broken = list('x/broken', ABOUT, async ({ get }) => {
      const { json } = await get();
      (json as unknown as { nothing: { there: () => void } }).nothing.there();
    });
    const result = await resultOf(broken);
    expect(result.verdict).toBe('error');
    expect(result.cause).toEqual({ kind: 'configuration', key: 'checks' });
    expect(result.reason).toMatch(/^[^\n]+$/u);
  });

  test('that reports what is no JSON is an error', async () => {
    const big = list('x/big', ABOUT, async ({ get, expect: hold }) => {
      await get();
      hold(false, { message: 'wrong', actual: 1n as unknown as number });
    });
    const result = await resultOf(big);
    expect(result).toMatchObject({ verdict: 'error', cause: { kind: 'configuration', key: 'checks' } });
    expect(result.reason).toContain('must be JSON');
  });

  test('that throws is reported with the file and line of the throw or of its declaration', async () => {
    const error = list('x/error', ABOUT, async () => {
      throw new TypeError('broken');
    });
    const text = list('x/text', ABOUT, async () => {
      throw 'text';
    });
    for (const one of [error, text])
      expect((await resultOf(one)).reason).toMatch(
        /\(test\/unit\/judge\/custom\/custom-checks\.test\.ts:\d+\)$/u,
      );
  });

  test.each([
    { query: 'x=a b' },
    { query: '?$pagesize=2' },
    { query: '', headers: { 'X-Own': 'a\r\nX-Other: b' } },
    { query: '', authorization: 'Bearer a\nb' },
  ])('that makes a call which cannot be sent is an error: %j', async (call) => {
    const unsendable = list('x/unsendable', ABOUT, async (snapshot) => {
      const { status } = await snapshot.call(call);
      snapshot.expect(status === 200, 'refused');
    });
    expect(await resultOf(unsendable)).toMatchObject({
      verdict: 'error',
      cause: { kind: 'configuration', key: 'checks' },
      requests: 0,
    });
  });

  test('whose clause is no list is rejected', () => {
    const about = { ...ABOUT, clause: '4.1' } as unknown as typeof ABOUT;
    expect(() => list('x/one', about, async () => undefined)).toThrow("['4.1']");
  });

  test('whose need is no text is rejected', () => {
    const about = { ...ABOUT, needs: ['records'] } as unknown as typeof ABOUT;
    expect(() => list('x/one', about, async () => undefined)).toThrow('x/one needs');
  });

  test('without a rule or a function is rejected', () => {
    const about = { clause: ['1'] } as unknown as typeof ABOUT;
    const missing = undefined as unknown as () => Promise<void>;
    for (const declare of [check, list, token]) {
      expect(() => declare('x/one', about, async () => undefined)).toThrow('x/one has no rule');
      expect(() => declare('x/one', ABOUT, missing)).toThrow('x/one has no function');
    }
  });

  test('can declare that it does not apply or cannot be decided', async () => {
    const left = list('x/left', ABOUT, async ({ skip }) => skip('not here'));
    const open = list('x/open', ABOUT, async ({ inconclusive }) => inconclusive('it needs a red printer'));
    expect(await resultOf(left)).toMatchObject({ verdict: 'skipped', cause: { kind: 'unselected' } });
    expect(await resultOf(open)).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringContaining('it needs a red printer'),
      cause: { kind: 'data' },
    });
  });

  test('is inconclusive if the links do not lead through the list', async () => {
    const followed = list('x/followed', ABOUT, async ({ records, expect: hold }) => {
      for await (const { record } of records({ pageSize: 7 })) hold(record !== null, 'null');
    });
    const causes = [
      ['traversal-circle', 'traversal/terminates'],
      ['link-missing-when-size-named', 'link/present-when-more'],
    ] as const;
    for (const [defect, by] of causes)
      expect(await resultOf(followed, { mock: { defects: [defect] } })).toMatchObject({
        verdict: 'inconclusive',
        cause: { kind: 'blocked', by },
      });
    // The links reach the end, whatever count says.
    expect((await resultOf(followed, { mock: { defects: ['count-one-more'] } })).verdict).toBe('pass');
  });

  test('that never ends is inconclusive at the time limit, and the failure of another one stays', async () => {
    const endless = list('x/endless', ABOUT, () => new Promise(() => undefined));
    const broken = list('x/broken', ABOUT, async ({ expect: hold }) => hold(false, 'a breach'));
    const { run, targets } = await judged([endless, broken], { target: { limits: { maxRunSeconds: 1 } } });
    expect(run.complete).toBe(true);
    expect(targets[0]?.requirements.slice(-2)).toMatchObject([
      { id: 'x/endless', verdict: 'inconclusive', cause: { kind: 'limit', limit: 'maxRunSeconds' } },
      { id: 'x/broken', verdict: 'fail' },
    ]);
  });

  test('that never ends is inconclusive when the run is stopped, and is not started later', async () => {
    const stop = new AbortController();
    let starts = 0;
    const endless = list('x/endless', ABOUT, () => {
      starts++;
      stop.abort();
      return new Promise(() => undefined);
    });
    for (const _run of ['stopped', 'stopped before'])
      expect(await resultOf(endless, { signal: stop.signal })).toMatchObject({
        verdict: 'inconclusive',
        cause: { kind: 'interrupted' },
      });
    expect(starts).toBe(1);
  });

  test('may be waived, and is reported with its waiver', async () => {
    const never = list('x/never', ABOUT, async ({ get, expect: hold }) => {
      await get();
      hold(false, 'never');
    });
    const waivers = [{ requirement: 'x/*', reason: 'agreed', until: '2999-01-01' }];
    const results = await judged([never], { target: { waivers } });
    expect(results.outcome).toBe('conformant');
    expect(results.targets[0]?.requirements.at(-1)).toMatchObject({
      verdict: 'fail',
      waiver: { active: true },
    });
  });

  test('has an identifier that starts with x/', () => {
    for (const id of ['agents', 'link/offset', 'x/', 'x/Agents', 'x/a b'])
      expect(() => list(id, ABOUT, async () => undefined)).toThrow(/x\/ and words in lower case/u);
  });

  test('is selected by its identifier, and an unknown one is an error', async () => {
    const one = list('x/agents', ABOUT, async ({ expect: hold }) => hold(true, ''));
    await expect(judged([one], { only: ['x/agent'] })).rejects.toThrow('did you mean "x/agents"?');
  });
});

test('a property is shrunk to its smallest counterexample, and uses the seed', async () => {
  const drawn: number[] = [];
  const small = property(
    'x/small',
    { ...ABOUT, arbitrary: (fastCheck) => fastCheck.integer({ min: 1, max: 500 }), examples: [3], runs: 10 },
    async ({ get, expect: hold }, size) => {
      drawn.push(size);
      const { json } = await get({ $pagesize: size });
      const { items } = json as unknown as { items: readonly unknown[] };
      hold(items.length < 13, { message: `${items.length} items`, counterexample: { size } });
    },
  );
  expect(await resultOf(small)).toMatchObject({
    verdict: 'fail',
    violations: [{ counterexample: { size: 13 } }],
  });
  const first = [...drawn];
  drawn.length = 0;
  await resultOf(small);
  expect(drawn).toEqual(first);
});

test('messages of a check reveal no token and no secret', async () => {
  const leaky = check('x/leaky', ABOUT, async ({ list: { call, expect: hold }, token: { answer } }) => {
    const { text } = await answer();
    await call({});
    hold(false, { message: text, actual: text, counterexample: { text } });
  });
  expect(JSON.stringify(await judged([leaky]))).not.toMatch(/eyJ/u);
});

test('custom checks change no verdict of the suite, and a replay does not need them', async () => {
  const folder = temporaryFolder('own');
  const evidenceFile = path.join(folder, 'evidence.ndjson.gz');
  const busy = [
    list('x/busy', ABOUT, async ({ records, expect: hold }) => {
      for await (const { id } of records()) hold(id !== 'x', 'x');
    }),
    token('x/token', ABOUT, async ({ ask, expect: hold }) => hold((await ask({})).status === 200, 'refused')),
  ];
  const only = ['link/*', 'token/*', 'count/*'];
  const module = path.join(folder, 'checks.mjs');
  const code = `export const own = { requirement: { id: 'x/own', clause: [], rule: 'r' }, scope: 'target' };
    own.judge = async () => undefined;`;
  writeFileSync(module, code);
  const target = { limits: { concurrency: 1 }, checks: [module] };
  const alone = await judged([], { only, target });
  const results = await judged(busy, { only: [...only, 'x/*'], evidenceFile, target });
  const plain = ({ targets }: Results): readonly object[] =>
    (targets[0]?.requirements ?? [])
      .filter(({ id }) => !id.startsWith('x/'))
      .map(({ id, verdict, cases, requests }) => ({ id, verdict, cases, requests }));
  expect(plain(results)).toEqual(plain(alone));
  const again = await replay(results, evidenceFile);
  expect(again).toMatchObject({ differences: [], missing: [], leftOut: 3 });
  expect(again.ownChecks).toEqual({ [module]: sha256(code) });
});
