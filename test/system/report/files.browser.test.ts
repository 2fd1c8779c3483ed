import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderCertificate } from '../../../src/report/certificate.tsx';
import { writeHar } from '../../../src/report/formats/har.ts';
import { writePdf } from '../../../src/report/formats/pdf.ts';
import { chromiumPath, launch } from '../../support/browser.ts';
import { exchanges } from '../../support/report/har-sample.ts';
import { waived } from '../../support/report/sample.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('files');

describe.skipIf(chromiumPath === null)('files that Chromium reads', () => {
  test('certificate.html prints on one page', async () => {
    const [page, print] = [path.join(folder, 'certificate.html'), path.join(folder, 'certificate.pdf')];
    const digest = '0123456789abcdef'.repeat(4);
    const prove = { defects: 342, found: 342, variants: 155, false: 0 };
    writeFileSync(page, renderCertificate(waived('2027-03-31'), { digest, keyId: digest, prove }));
    await writePdf(page, print);
    expect(readFileSync(print, 'latin1').match(/\/Type\s*\/Page\b(?!s)/gu)).toHaveLength(1);
  });

  test('evidence.har gives a browser the answers of the provider', async () => {
    const file = path.join(folder, 'evidence.har');
    await writeHar({ exchanges }, file);
    const browser = await launch();
    try {
      const page = await browser.newPage();
      await page.routeFromHAR(file, { notFound: 'abort' });
      await page.goto('https://api.acme.example/v1/printers?$count=true&%24pagesize=7');
      expect(await page.textContent('body')).toBe('{"items":[]}');
      const bytes = await page.evaluate(async () => {
        const answer = await fetch('/connect/token', { method: 'POST', body: 'a=b' });
        return [answer.status, ...new Uint8Array(await answer.arrayBuffer())];
      });
      expect(bytes).toEqual([200, 0xff, 0]);
      await expect(page.goto('https://api.acme.example/v1/elsewhere')).rejects.toThrow();
    } finally {
      await browser.close();
    }
  });
});
