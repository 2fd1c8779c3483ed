import { describe, expect, it } from 'vitest';
import { observations } from '../../../specs/catalogue.ts';
import { startMock } from '../../../src/mock/index.ts';
import { judgeBehind, judgeMock, observed, withVerdict } from '../../support/judge-mock.ts';

describe('what the specification leaves open', () => {
  it('needs no attention on the reference provider', async () => {
    const result = await judgeMock({});
    const values = Object.fromEntries(result.observations.map(({ id, value }) => [id, value]));
    expect(values).toMatchObject({
      'observe/unauthorized-answer': '401 with WWW-Authenticate',
      'observe/token-cache-headers': 'no-store',
      'observe/token-reuse': 'a new token each time, the first one stays valid',
      'observe/granted-scope': 'as requested',
      'observe/page-size-above-maximum': 'capped at 500',
      'observe/count-without-enabling': 'no count',
      'observe/null-members': 'none',
      'observe/order': 'the same order each time',
      'observe/server-errors': 'none met',
    });
    expect(values['observe/token-format']).toMatch(/^JWT \(/);
    expect(values).toMatchObject({
      'observe/scope-omitted': 'refused with 400 (invalid_scope)',
      'observe/grant-type-spelling': 'refused with 400 (unsupported_grant_type)',
      'observe/token-request-json': 'refused with 400 (invalid_request)',
      'observe/token-get': 'refused with 405 (invalid_request)',
      'observe/scheme-case': 'accepted',
      'observe/accept': 'the list as JSON',
      'observe/unknown-parameter': 'ignored',
      'observe/skip-beyond-the-end':
        '0 records ($skip=N, $skip=N+1000); refused with 400 ($skip=-1, $skip=abc)',
      'observe/count-value-forms':
        'the count ($count=TRUE, $count=True); no count ($count=1, $count=yes, $count=); refused with 400 ($count=true&$count=false)',
      'observe/methods': 'not tried: the target file does not allow it (probes.methods)',
      'observe/further-members': 'none',
    });
    // Tenants mean nothing to it, which is what the specification says of them.
    const attentive = result.observations.filter(({ attention }) => attention);
    expect(attentive.map(({ id }) => id)).toEqual(['observe/tenant-unknown']);
    expect(result.observations.map(({ id }) => id)).toEqual(observations.map(({ id }) => id));
  });

  it.each([
    ['unauthorized-403', 'unauthorized-answer', /^403/, true],
    ['unauthorized-500', 'server-errors', /5xx$/, true],
    ['token-cacheable', 'token-cache-headers', /./, true],
    ['tokens-opaque', 'token-format', /^opaque$/, false],
    ['token-reused-counting-down', 'token-reuse', /handed out again/, false],
    ['token-scope-narrowed', 'granted-scope', /^not granted: /, false],
    ['above-maximum-400', 'page-size-above-maximum', /^refused with 400$/, false],
    ['invalid-size-502', 'page-size-invalid', /502/, true],
    ['count-always', 'count-without-enabling', /always given/, false],
    ['link-null-at-end', 'null-members', /nextPageLink given as null/, true],
    ['content-type-text', 'content-type', /text\/plain/, true],
    [
      'envelope-further-members',
      'further-members',
      /previousPageLink.* in the envelope; .*model.* in items$/,
      false,
    ],
    ['gzip', 'compression', /gzip/, false],
    ['connection-close', 'transport', /a connection for each request/, false],
  ] as const)('shows %s, and fails nothing', async (variant, name, value, attention) => {
    const result = await judgeMock({ variant });
    expect(observed(result, name).value).toMatch(value);
    expect(observed(result, name).attention).toBe(attention);
    expect(withVerdict(result, 'fail', 'error')).toEqual([]);
  });

  it.each(['secret-beginning', 'client-missing'])(
    'reports the answer to tokens that were never issued, also with %s',
    async (defect) => {
      const result = await judgeMock({ defects: [defect] });
      expect(observed(result, 'invalid-token-answer')).toMatchObject({
        value: '401 with WWW-Authenticate',
        attention: false,
      });
    },
  );
});

describe('observations that have to ask', () => {
  it('are asked for alone where a provider refuses several variations together', async () => {
    const strict = await judgeMock({ variant: 'unknown-parameter-refused' });
    expect(observed(strict, 'unknown-parameter').value).toBe('refused with 400');
    expect(observed(strict, 'scheme-case').value).toBe('accepted');
    expect(observed(strict, 'count-value-forms').value).toMatch(/^the count \(\$count=TRUE/);
  });

  it('send no method but GET and no token with one, unless the target file allows it', async () => {
    const allowed = await judgeMock({}, { target: { probes: { methods: true } } });
    const { value, detail, attention } = observed(allowed, 'methods');
    expect(value).toBe('status 401');
    expect(Object.keys(detail)).toEqual(expect.arrayContaining(['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE']));
    expect(attention).toBe(false);
  });

  it('try the other methods if the provider ends the connection of one', async () => {
    const mock = await startMock();
    const behind = judgeBehind(
      mock,
      ({ method, answer, socket }) => {
        if (method !== 'HEAD') return answer;
        socket.destroy();
        return null;
      },
      { target: { probes: { methods: true } } },
    );
    const { detail } = observed(await behind.finally(() => mock.close()), 'methods');
    expect(detail).toMatchObject({ HEAD: 'no answer', POST: 'status 401', DELETE: 'status 401' });
  });

  it('are left out of a smoke and of a run of a few checks', async () => {
    for (const judging of [{ suite: 'smoke' }, { only: ['token/issued'] }] as const) {
      const result = await judgeMock({}, judging);
      expect(observed(result, 'scheme-case').value).toBe(
        'not tested in this run: it sends requests of its own',
      );
    }
  });

  it('see what an unknown tenant is given', async () => {
    const checked = await judgeMock({ variant: 'tenant-checked' });
    expect(observed(checked, 'tenant-unknown')).toMatchObject({
      value: 'refused with 403',
      attention: false,
    });
    const demanded = await judgeMock({ variant: 'tenant-demanded' });
    expect(observed(demanded, 'tenant-missing').value).toBe('refused with 400');
  });
});
