import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rawLines } from '../../../src/evidence/raw-lines.ts';

const FILLER = 'x'.repeat(1_048_576);

function line(content: object, bytes: number): string {
  return `${JSON.stringify({ number: 1, note: ',"body":{"text":"', answer: { body: { bytes } }, body: content })}\n`;
}

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    // The filler in one chunk, the rest in small chunks.
    const size = at === 0 ? FILLER.length : (sizes[turn % sizes.length] ?? 1);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function read(text: string, sizes: readonly number[], wantsBodies = true) {
  const lines: { readonly text: string; readonly body: Uint8Array | null }[] = [];
  for await (const { bytes, separateBody } of rawLines(cut(Buffer.from(text), sizes), wantsBodies))
    lines.push({
      text: bytes.toString('utf8'),
      body: separateBody !== null && wantsBodies ? separateBody() : null,
    });
  return lines;
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

describe('rawLines', () => {
  it('returns large bodies unchanged for any chunk boundaries', async () => {
    const body = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ unit: fc.constantFrom('\\', '"', '\n', 'u', 'd83d', '\u0001', '😀', 'ü', '\u2028', 'a') }),
    );
    await fc.assert(
      fc.asyncProperty(body, sizes, async (rest, pieces) => {
        const text = FILLER + rest.toWellFormed();
        const small = JSON.stringify({ number: 2, body: { text: 'b' } });
        const found = await read(
          `${line({ text }, Buffer.byteLength(text))}${small}\n${line({ text }, Buffer.byteLength(text))}`,
          pieces,
        );
        expect(found.map((one) => one.body?.length ?? null)).toEqual([
          Buffer.byteLength(text),
          null,
          Buffer.byteLength(text),
        ]);
        for (const index of [0, 2])
          expect(Buffer.from(found[index]?.body ?? []).equals(Buffer.from(text))).toBe(true);
        expect(found[1]?.text).toBe(small);
        expect(JSON.parse(found[0]?.text ?? '')).toMatchObject({ number: 1, body: null });
      }),
      { numRuns: 8 },
    );
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 50 }), sizes, async (rest, pieces) => {
        const bytes = Buffer.concat([Buffer.from(FILLER), rest]);
        const [found] = await read(line({ base64: bytes.toString('base64') }, bytes.length), pieces);
        expect(Buffer.from(found?.body ?? []).equals(bytes)).toBe(true);
      }),
      { numRuns: 8 },
    );
  });

  it('omits large bodies on request', async () => {
    const found = await read(line({ text: FILLER }, FILLER.length), [1000], false);
    expect(found).toMatchObject([{ body: null }]);
    expect(found[0]?.text.length).toBeLessThan(1000);
  });

  it('refuses a body that is truncated or whose length differs from its line', async () => {
    const whole = line({ text: FILLER }, FILLER.length);
    await expect(read(whole.slice(0, -10), [50])).rejects.toThrow('truncated');
    await expect(read(line({ text: FILLER }, FILLER.length + 1), [50])).rejects.toThrow('shorter');
    await expect(read(line({ text: FILLER }, FILLER.length - 1), [50])).rejects.toThrow('longer');
  });
});
