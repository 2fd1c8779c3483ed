import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launch, watch } from '../../support/browser.ts';
import { built } from '../../support/built.ts';
import type { Behaviour } from '../../support/hostile/altering-proxy.ts';
import type { Members } from '../../support/hostile/hostile-behaviours.ts';
import { frontOf, type Ground, startGround, targetFor } from '../../support/hostile/judge-hostile.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Known script injections; each would set `owned`, send a request, or both. */
const PAYLOADS = [
  '<script>window.owned=1</script>',
  '</script><script>window.owned=1</script>',
  '</style></title></textarea><img src=x onerror="window.owned=1">',
  '"><svg/onload=window.owned=1>',
  "' onmouseover='window.owned=1' autofocus onfocus='window.owned=1' x='",
  '--><!--<iframe srcdoc="<script>parent.owned=1</script>">',
  ']]><details open ontoggle=window.owned=1>',
  '<a href="javascript:window.owned=1">x</a>',
  '<base href="http://127.0.0.1:9/"><link rel=stylesheet href="http://127.0.0.1:9/a.css">',
  '<meta http-equiv=refresh content="0;url=http://127.0.0.1:9/">',
  '<form action=http://127.0.0.1:9/><input name=a></form>',
  '${window.owned=1}{{constructor.constructor("window.owned=1")()}}',
  '\u2028window.owned=1//\u2029<\u0000script>window.owned=1</script>',
  '&lt;script&gt;window.owned=1&lt;/script&gt;',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.owned=1&gt;">',
];

/** Puts every payload into records, counts, links, names of members, errors and headers. */
const scripted: Behaviour = ({ answer, number, kind }) => {
  const payload = PAYLOADS[number % PAYLOADS.length] ?? '';
  const headers = [...answer.headers, ['X-Script', payload.replace(/[^\x20-\x7e]/g, '')]] as const;
  const reason = payload.replace(/[^\x20-\x7e]/g, '');
  if (answer.status !== 200) return { ...answer, reason, headers, body: Buffer.from(PAYLOADS.join('\n')) };
  const members = JSON.parse(answer.body.toString()) as Members;
  members[payload] = payload;
  if (kind === 'token')
    return { ...answer, headers, body: Buffer.from(JSON.stringify({ ...members, token_type: payload })) };
  const items = members.items?.map((item, index) => ({
    ...item,
    agent: [PAYLOADS[index % PAYLOADS.length]],
  }));
  const spoilt = {
    ...members,
    items,
    count: payload,
    ...('nextPageLink' in members ? { nextPageLink: payload } : {}),
  };
  return { ...answer, headers, body: Buffer.from(JSON.stringify(spoilt)) };
};

describe.skipIf(chromiumPath === null)('the report of a provider that says scripts', () => {
  let ground: Ground;
  const scratch = temporaryFolder('scripts');
  beforeAll(async () => {
    ground = await startGround();
  });
  afterAll(async () => {
    await ground.close();
  });

  it('runs no script, sends no request, and enforces its policy', async () => {
    const hostile = { does: '<img src=x onerror=window.owned=1>', how: scripted };
    const front = await frontOf(hostile, ground);
    const file = path.join(scratch, 'target.json');
    writeFileSync(file, JSON.stringify(targetFor(hostile, front.origin, ground)), { mode: 0o600 });
    const { status } = await built.start(['run', file, '--quiet', '--out', 'run'], { cwd: scratch }).ended;
    await front.close();
    expect(status).toBe(1);
    const report = path.join(scratch, 'run', 'report.html');
    // The report must contain the payload, otherwise the test proves nothing.
    expect(readFileSync(report, 'utf8')).toContain('window.owned=1');

    const browser = await launch();
    try {
      const page = await browser.newPage();
      const watched = watch(page);
      await page.goto(pathToFileURL(report).href);
      await page.evaluate(() => {
        for (const fold of document.querySelectorAll('details')) fold.open = true;
        for (const element of document.querySelectorAll('*'))
          for (const event of ['mouseover', 'focus', 'toggle', 'click'])
            if (event !== 'click' || element instanceof HTMLButtonElement)
              element.dispatchEvent(new Event(event));
      });
      await page.waitForTimeout(300);
      expect(await page.evaluate(() => 'owned' in window)).toBe(false);
      expect(watched).toEqual({ complaints: [], requests: [pathToFileURL(report).href] });
      expect(
        await page.locator('iframe, object, embed, base, img, link[href], a[href^="javascript"]').count(),
      ).toBe(0);
      expect(await page.locator('script').count()).toBe(1);
      // The browser enforces the policy: a script inserted later does not run.
      await page.evaluate(() => {
        const script = document.createElement('script');
        script.textContent = 'window.owned = 1';
        document.body.append(script);
      });
      expect(await page.evaluate(() => 'owned' in window)).toBe(false);
      expect(watched.complaints.join()).toContain('Content Security Policy');
    } finally {
      await browser.close();
    }
  });
});
