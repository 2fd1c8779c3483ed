import { describe, expect, it } from 'vitest';
import { renderCertificate } from '../../src/report/formats/certificate.tsx';
import { hostile, mixed } from './sample.ts';

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
    const conformant = { ...mixed(), outcome: 'conformant' as const };
    expect(renderCertificate(conformant, FACTS, false)).toContain('>Conformant.');
    expect(renderCertificate(conformant, FACTS, true)).toContain('Not certified');
  });
});
