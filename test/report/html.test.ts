import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { withoutEvidence } from '../../src/report/data.ts';
import { renderHtml } from '../../src/report/formats/html.tsx';
import { FORBIDDEN, hostile, mixed, results, target } from './sample.ts';

describe('report.html', async () => {
  const page = await renderHtml(withoutEvidence(mixed()));

  test('is one page that loads nothing and runs its own script alone', () => {
    expect(page.startsWith('<!doctype html>\n<html lang="en">')).toBe(true);
    const style = /<style>([\s\S]*?)<\/style>/u.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/u.exec(page)?.[1];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`style-src 'sha256-${hash}'`);
    const script = /<script>([\s\S]*?)<\/script>/u.exec(page)?.[1] ?? '';
    expect(policy).toContain(`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`);
    expect(policy).not.toContain('unsafe');
    expect(page.match(/<script\b/gu)).toHaveLength(1);
    expect(page).not.toMatch(/<(link|img|iframe|object|embed)\b|\bon\w+="|\bstyle=|url\(|@import/u);
  });

  test('stands outcome, failures, proof and inconclusive in this order', () => {
    const places = [
      '>non-conformant</h1>',
      'Failed (2)</h2>',
      'class="message">After 3 pages of 7',
      'What usually causes it',
      'curl -sS',
      'Could not be carried out (1)</h2>',
      'Inconclusive (2)</h2>',
      'Failed, and waived (1)</h2>',
      '>Requirements</h2>',
      'Observations, not judged',
      '>Traffic</h2>',
    ].map((text) => page.indexOf(text));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((left, right) => left - right));
  });

  test('puts observations that deserve attention first', () => {
    expect(page.indexOf('observe/transport')).toBeLessThan(page.indexOf('observe/page-size-above-maximum'));
  });

  test('shows hostile text as text', async () => {
    const shown = await renderHtml(withoutEvidence(hostile()));
    expect(shown).not.toMatch(FORBIDDEN);
    expect(shown.match(/<script\b/gu)).toHaveLength(1);
    expect(shown).toContain('&lt;script>alert(1)');
    expect(shown).toContain('\\u001b[2J');
  });

  test('renders a run with nothing in it', async () => {
    expect(await renderHtml(withoutEvidence(results([])))).toContain('>error</h1>');
    expect(await renderHtml(withoutEvidence(results([target([])])))).toContain('>inconclusive</h1>');
  });
});
