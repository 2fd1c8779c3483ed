import { describe, expect, it } from 'vitest';
import type { RequirementResult, Results } from '../../../src/core/results.ts';
import { renderCertificate } from '../../../src/report/certificate.tsx';
import { hostile, judged, mixed, results, target, waived } from '../../support/report/sample.ts';

const FACTS = { digest: '0123456789abcdef'.repeat(4), keyId: null, prove: null };

describe('a certificate', () => {
  it('shows the outcome, the provider, and how to verify it', () => {
    const page = renderCertificate(mixed(), FACTS);
    expect(page).toContain('Not conformant.');
    expect(page).toContain('01234567 89abcdef');
    expect(page).toContain('the run is not signed');
    expect(page).not.toMatch(/<script|src=|href=/u);
  });

  it('shows hostile text as text', () => {
    expect(renderCertificate(hostile(), FACTS)).not.toMatch(/<script|<img/u);
  });

  it('breaks an identifier after its slash only', () => {
    const page = renderCertificate(certification(judged('token/issued', 'pass')), FACTS);
    expect(page).toMatch(/<th scope="row">token\/<wbr ?\/?>issued</u);
  });

  it('shows Conformant only if every requirement passed', () => {
    const passed = judged('token/issued', 'pass');
    expect(renderCertificate(certification(passed), FACTS)).toContain('>Conformant<');
    const open = renderCertificate(certification(passed, judged('token/scope', 'skipped')), FACTS);
    expect(open).toContain('1 of 2 requirements passed; not tested: token/scope.');
    expect(open).not.toContain('>Conformant');
    const [, failed] = [passed, waived('2027-03-31')];
    expect(renderCertificate({ ...failed, outcome: 'conformant' }, FACTS)).not.toContain('>Conformant');
  });

  it('does not show Conformant if a custom check did not pass', () => {
    const passed = judged('token/issued', 'pass');
    const failed = certification(passed, { ...judged('link/offset', 'fail'), id: 'x/agents-known' });
    const page = renderCertificate(failed, FACTS);
    expect(failed.outcome).toBe('non-conformant');
    expect(page).toContain('Not conformant.');
    expect(page).not.toContain('>Conformant');
    const waiver = { requirement: 'x/agents-known', reason: 'agreed', until: '2027-03-31', active: true };
    const agreed = certification(passed, {
      ...judged('link/offset', 'fail', { waiver }),
      id: 'x/agents-known',
    });
    expect(agreed.outcome).toBe('conformant');
    expect(renderCertificate(agreed, FACTS)).not.toContain('>Conformant<');
    expect(renderCertificate(agreed, FACTS)).toContain('1 requirement and 1 custom check of 1 provider');
  });

  it('shows number, issuer, specification, product, full digest, and a verdict for every requirement', () => {
    const run = certification(judged('token/issued', 'pass'), judged('link/offset', 'pass'));
    const [provider] = run.targets;
    if (provider === undefined) throw new Error('there is a target');
    const product = { name: 'Acme Cloud', version: '4.2' };
    const named = { ...run, run: { ...run.run, issuer: 'Test Body' }, targets: [{ ...provider, product }] };
    const page = renderCertificate(named, FACTS).replaceAll('<wbr/>', '');
    for (const part of [run.run.id, 'Test Body', 'Integration API', 'Acme Cloud, version 4.2', 'link/offset'])
      expect(page).toContain(part);
    expect(page.replaceAll(' ', '')).toContain(FACTS.digest);
  });

  it('shows a tolerance and a clock that the target file changes', () => {
    const run = certification(judged('token/refused-after-expiry', 'pass'));
    const targets = run.targets.map((one) => ({ ...one, expiry: { toleranceSeconds: 3000, clockRate: 60 } }));
    const page = renderCertificate({ ...run, targets }, FACTS);
    expect(page).toMatch(/3,000 s after its expiry.*60 times/u);
    expect(renderCertificate(run, FACTS)).not.toContain('after its expiry');
  });

  it('shows every verdict of each of several providers', () => {
    const one = target([judged('token/issued', 'pass'), judged('link/offset', 'pass')]);
    const other = {
      ...target([judged('token/issued', 'pass'), judged('link/offset', 'skipped')]),
      name: 'other',
    };
    const run = results([one, other]);
    const page = renderCertificate({ ...run, run: { ...run.run, suite: 'certify' } }, FACTS);
    expect(page.match(/>link\/(?:<wbr ?\/?>)?offset</gu)).toHaveLength(2);
    expect(page).toContain('1 of 2 passed');
  });

  it('is valid until the first waiver ends', () => {
    const page = renderCertificate(waived('2027-03-31'), FACTS);
    expect(page).toContain('until 2027-03-31, when a waiver ends');
  });
});

function certification(...requirements: readonly RequirementResult[]): Results {
  const run = results([target(requirements)]);
  return { ...run, run: { ...run.run, suite: 'certify' } };
}
