import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { judgeTarget, openMock, requirementOf, targetOf } from '../../support/judge-mock.ts';
import { tokenOf } from '../../support/mock/client.ts';

const run = promisify(execFile);

/** Runs a curl command in a shell with the secrets in its environment, like a reader of the report. */
async function inShell(line: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await run('bash', ['-c', line], { env: { ...process.env, ...environment } });
  return stdout;
}

describe('the curl line of a violation', () => {
  it.each([
    ['secret-any', 'token/secret', /"access_token"/],
    ['secret-absent', 'token/secret', /"access_token"/],
    ['secret-any-case', 'token/secret', /"access_token"/],
    ['secret-beginning', 'token/secret', /"access_token"/],
    ['secret-extended', 'token/secret', /"access_token"/],
    ['client-missing', 'token/client', /"access_token"/],
    ['isolation-first-with-second-secret', 'token/provider-isolation', /"access_token"/],
    ['grant-type-password', 'token/grant-type', /"access_token"/],
    ['expires-in-text', 'token/shape', /"expires_in":"3600"/],
    ['gate-trailing-slash', 'authorization/required', /"displayName"/],
    ['gate-dot-segments', 'authorization/required', /"displayName"/],
    ['gate-last-page-open', 'authorization/required-on-every-page', /"displayName"/],
    ['scheme-basic', 'authorization/scheme', /"displayName"/],
    ['token-in-query', 'authorization/scheme', /"displayName"/],
    ['token-in-cookie', 'authorization/scheme', /"displayName"/],
    ['token-in-form', 'authorization/scheme', /"displayName"/],
    ['token-empty-accepted', 'authorization/token-integrity', /"displayName"/],
    ['jwt-signature-stripped', 'authorization/token-integrity', /"displayName"/],
    ['jwt-signature-beginning', 'authorization/token-integrity', /"displayName"/],
    ['jwt-algorithm-none', 'authorization/token-integrity', /"displayName"/],
    ['jwt-payload-uncovered', 'authorization/token-integrity', /"displayName"/],
    ['token-any', 'authorization/token-integrity', /"displayName"/],
    ['item-agent-null', 'list/items', /"agent":null/],
    ['maximum-forgotten-when-encoded', 'page-size/maximum', /(?:"id":[\s\S]*?){501}/],
    [
      'encoded-count-ignored',
      'page-size/encoded-name',
      /^(?![\s\S]*"count":[\s\S]*"count":)[\s\S]*"count":[\s\S]*$/,
    ],
    ['count-other-on-linked-pages', 'count/stable', /"count":(\d+)[\s\S]*"count":(?!\1)\d/],
    ['traversal-boundary-repeated', 'traversal/no-duplicates', /"id":("[^"]+")[\s\S]*"id":\1/],
    ['link-absolute', 'link/relative', /"nextPageLink":"http:/],
    ['skip-one-too-few', 'link/offset', /(?:"id":[\s\S]*?){500}skip=499"/],
    ['follow-404', 'traversal/followable', / 404 /],
    ['count-text', 'count/present', /"count":"/],
  ] as const)('reproduces the breach of %s', async (defect, id, sight) => {
    const mock = await openMock({ defects: [defect] });
    const result = await judgeTarget(targetOf(mock), { only: [id] });
    const violation = requirementOf(result, id).violations[0];
    if (violation === undefined) throw new Error(`${id} was not failed`);
    for (const secret of [mock.credentials.clientSecret, mock.otherCredentials.clientSecret])
      expect(JSON.stringify(result)).not.toContain(secret);
    const output = await inShell(violation.curl, {
      TOKEN: await tokenOf(mock),
      CLIENT_SECRET: mock.credentials.clientSecret,
      OTHER_CLIENT_SECRET: mock.otherCredentials.clientSecret,
    });
    expect(output).toMatch(sight);
  });

  it('names the whole secret although = and its beginning are one of its characters in quoted-printable', async () => {
    const credentials = { clientId: 'a', clientSecret: '394jlEKbfjG45HzG4PyXl6dIGhb0', scope: 'b' };
    const mock = await openMock({ credentials, defects: ['grant-type-password'] });
    const result = await judgeTarget(targetOf(mock), { only: ['token/grant-type'] });
    expect(requirementOf(result, 'token/grant-type').violations[0]?.curl).toContain(
      '"client_secret=$CLIENT_SECRET"',
    );
  });
});
