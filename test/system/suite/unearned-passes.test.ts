import { describe, expect, it } from 'vitest';
import { startMock } from '../../../src/mock/index.ts';
import { judgeMock, judgeTarget, requirementOf, targetOf } from '../../support/judge-mock.ts';

const OPEN_WITH_RECORDS = [
  'authorization/required',
  'authorization/required-on-every-page',
  'authorization/scheme',
  'authorization/token-integrity',
];

describe('a requirement does not pass on answers that would also keep it if it were broken', () => {
  it.each(['living-emptied', 'living-emptied-late'])('if the list loses all records: %s', async (variant) => {
    const result = await judgeMock({ variant });
    const passed = OPEN_WITH_RECORDS.filter((id) => requirementOf(result, id).verdict === 'pass');
    expect(passed).toEqual([]);
    expect(requirementOf(result, 'authorization/required').cause).toEqual({ kind: 'changing' });
  });

  it.each([
    ['gate-first-page-only', { answer: { status: 500 } }],
    ['expiry-unchecked', { answer: { status: 404 } }],
    ['gate-first-page-only', { reset: true }],
  ])('if the list answers no call any more: %s', async (defect, down) => {
    const rules = [{ when: { call: 'list', requests: { from: 30 } }, ...down }] as const;
    const mock = await startMock({ scenario: { defects: [defect], rules } });
    const target = targetOf(mock, { expiredToken: mock.expiredToken });
    const result = await judgeTarget(target).finally(() => mock.close());
    const passed = [...OPEN_WITH_RECORDS, 'token/refused-after-expiry'].filter(
      (id) => requirementOf(result, id).verdict === 'pass',
    );
    expect(passed).toEqual([]);
    expect(requirementOf(result, 'authorization/required-on-every-page').cause?.kind).toBe('unavailable');
  });

  it.each([
    ['token', 'secret-unchecked', 'token/secret'],
    ['token', 'grant-type-any', 'token/grant-type'],
    ['list', 'scheme-any', 'authorization/scheme'],
  ] as const)('if a web page answers each %s request from some on: %s', async (call, defect, id) => {
    const body = '<!doctype html><title>We will be back soon</title>';
    const rules = [
      { when: { call, requests: { from: call === 'token' ? 2 : 8 } }, answer: { status: 200, body } },
    ];
    const mock = await startMock({ scenario: { defects: [defect], rules } });
    const result = await judgeTarget(targetOf(mock)).finally(() => mock.close());
    expect(requirementOf(result, id).verdict).not.toBe('pass');
  });

  it('if one list call in ten is answered 500, and its repetition 200: authorization/accepted', async () => {
    const rules = [{ when: { call: 'list', every: 10 }, answer: { status: 500 } }] as const;
    const mock = await startMock({ scenario: { rules } });
    const result = await judgeTarget(targetOf(mock)).finally(() => mock.close());
    expect(requirementOf(result, 'authorization/accepted')).toMatchObject({
      verdict: 'inconclusive',
      cause: { kind: 'intermittent' },
    });
  });

  it('if no token is issued any more: token/issued', async () => {
    const rules = [{ when: { call: 'token', requests: { from: 6 } }, answer: { status: 500 } }] as const;
    const mock = await startMock({ scenario: { rules } });
    const result = await judgeTarget(targetOf(mock)).finally(() => mock.close());
    expect(requirementOf(result, 'token/issued')).toMatchObject({
      verdict: 'inconclusive',
      cause: { kind: 'unavailable', status: 500 },
    });
  });

  it('if the list loses so many records that no page can hold more than the maximum', async () => {
    const result = await judgeMock({ variant: 'living-shortened' });
    expect(requirementOf(result, 'page-size/maximum')).toMatchObject({
      verdict: 'inconclusive',
      cause: { kind: 'changing' },
    });
  });

  it('if its count claims more than the maximum, and links reach no more', async () => {
    const defects = ['maximum-zero-is-all', 'rows-between-skip-and-size'];
    const result = await judgeMock({ defects }, { only: ['page-size/maximum'] });
    expect(requirementOf(result, 'page-size/maximum').verdict).toBe('fail');
  });

  it('if no page gives a count or a link, so that a link without $count cannot be told from one with it', async () => {
    const defects = ['count-never', 'link-never'];
    const result = await judgeMock({ defects }, { suite: 'smoke' });
    expect(requirementOf(result, 'link/absent-without-count')).toMatchObject({
      verdict: 'inconclusive',
      cause: { kind: 'blocked', by: 'link/present-when-more' },
    });
  });

  it('if both clients have the same secret, so that crossed credentials are right ones', async () => {
    const credentials = { clientId: 'one', clientSecret: 'a-secret-of-both-clients', scope: 'printers.read' };
    const otherCredentials = { ...credentials, clientId: 'two' };
    const result = await judgeMock({ credentials, otherCredentials }, { only: ['token/provider-isolation'] });
    expect(requirementOf(result, 'token/provider-isolation')).toMatchObject({
      verdict: 'error',
      cause: { kind: 'configuration', key: 'otherCredentials' },
    });
  });

  const opaque = '0123456789abcdefghijklmnopqrstuvwxyz-_ABCDE';
  it.each([
    ['jwt', 'garbage'],
    ['opaque', 'garbage'],
    ['opaque', `Bearer ${opaque}`],
    ['opaque', `"${opaque}"`],
    ['opaque', opaque.slice(1)],
  ] as const)(
    'if the expired token is no token of a provider with %s tokens (%s)',
    async (tokens, expiredToken) => {
      const target = { expiredToken };
      // The other requirement obtains several tokens.
      const only = ['token/refused-after-expiry', 'token/scope'];
      const result = await judgeMock({ tokens }, { only, target });
      expect(requirementOf(result, 'token/refused-after-expiry')).toMatchObject({
        verdict: 'error',
        cause: { kind: 'configuration', key: 'expiredToken' },
      });
    },
  );

  it.each([
    ['in quotation marks', (token: string) => `"${token}"`],
    ['without its last characters', (token: string) => token.slice(0, -3)],
    ['without its signature', (token: string) => token.slice(0, token.lastIndexOf('.') + 1)],
    ['for another audience', (token: string) => withClaims(token, { aud: 'another' })],
  ] as const)('if the expired token is one of the provider %s', async (_what, damage) => {
    const mock = await startMock({});
    const expiredToken = damage(mock.expiredToken);
    await mock.close();
    const result = await judgeMock({}, { only: ['token/refused-after-expiry'], target: { expiredToken } });
    expect(requirementOf(result, 'token/refused-after-expiry')).toMatchObject({
      verdict: 'error',
      cause: { kind: 'configuration', key: 'expiredToken' },
    });
  });
});

function withClaims(token: string, claims: object): string {
  const [header, payload = '', signature] = token.split('.');
  const read = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as object;
  const written = Buffer.from(JSON.stringify({ ...read, ...claims })).toString('base64url');
  return [header, written, signature].join('.');
}

describe('a run that limits.maxRequests ends', () => {
  it('passes no requirement whose breach lies behind the limit', async () => {
    for (const maxRequests of [120, 150, 160]) {
      const judged = await judgeMock(
        { defects: ['link-missing-before-last-full-page'] },
        { seed: 1, target: { limits: { maxRequests } } },
      );
      expect(requirementOf(judged, 'link/present-when-more').verdict).not.toBe('pass');
    }
  });
});
