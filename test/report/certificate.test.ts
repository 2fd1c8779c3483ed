import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Results } from '../../src/core/results.ts';
import { renderCertificate } from '../../src/report/formats/certificate.tsx';
import { writePdf } from '../../src/report/formats/pdf.ts';
import { chromiumPath } from '../support/browser.ts';
import { hostile, judged, mixed, results, target } from './sample.ts';

const FACTS = { digest: '0123456789abcdef'.repeat(4), keyId: null, prove: null };

describe('a certificate', () => {
  it('says how it came out, of whom, and how to compare it', () => {
    const page = renderCertificate(mixed(), FACTS, false);
    expect(page).toContain('Not conformant.');
    expect(page).toContain('0123 4567 89ab cdef');
    expect(page).toContain('the run is not signed');
    expect(page).not.toMatch(/<script|src=|href=/u);
  });

  it('shows hostile text as text', () => {
    expect(renderCertificate(hostile(), FACTS, false)).not.toMatch(/<script|<img/u);
  });

  it('certifies nothing where anything was left unjudged', () => {
    const conformant = results([target([judged('token/issued', 'pass')])]);
    expect(renderCertificate(conformant, FACTS, false)).toContain('>Conformant.');
    expect(renderCertificate(conformant, FACTS, true)).toContain('Not certified');
  });

  it('says of which failures it knows that a waiver covers them', () => {
    const conformant = { ...waived('2027-03-31'), outcome: 'conformant' as const };
    const page = renderCertificate(conformant, FACTS, false);
    expect(page).toContain('>Conformant, but for 3 failures that a waiver covers.<');
    expect(renderCertificate(conformant, FACTS, true)).not.toContain('but for');
  });

  it('names every requirement of one provider, with what became of those that did not pass', () => {
    const [target] = mixed().targets;
    if (target === undefined) throw new Error('the sample has a target');
    const page = renderCertificate({ ...mixed(), targets: [target] }, FACTS, false);
    for (const { id } of target.requirements) expect(page).toContain(id.slice(id.indexOf('/') + 1));
    expect(page).toContain('(fail');
    const one = results([{ ...target, records: { printers: 1 } }]);
    expect(renderCertificate(one, FACTS, false)).toContain('printers (1 record)');
  });

  it('is valid no longer than the waivers that it rests on', () => {
    const page = renderCertificate(waived('2027-03-31'), FACTS, false);
    expect(page).toContain('until 2027-03-31, when a waiver ends');
  });

  it.skipIf(chromiumPath === null)('prints on one page', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'assay-certificate-'));
    try {
      const [page, print] = [path.join(folder, 'certificate.html'), path.join(folder, 'certificate.pdf')];
      const prove = { defects: 342, found: 342, variants: 155, false: 0 };
      const facts = { ...FACTS, keyId: FACTS.digest, prove };
      writeFileSync(page, renderCertificate(waived('2027-03-31'), facts, false));
      await writePdf(page, print);
      expect(readFileSync(print, 'latin1').match(/\/Type\s*\/Page\b(?!s)/gu)).toHaveLength(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** One provider whose failures are all waived until that day. */
function waived(until: string): Results {
  const results = mixed();
  const waiver = (requirement: string) => ({
    requirement,
    reason: 'agreed, ticket 4711',
    until,
    active: true,
  });
  return {
    ...results,
    targets: results.targets.slice(0, 1).map((target) => ({
      ...target,
      requirements: target.requirements.map((one) =>
        one.verdict === 'fail' ? { ...one, waiver: waiver(one.id) } : one,
      ),
    })),
  };
}
