import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BatchWriter } from '../../../src/evidence/batch-writer.ts';

/** A body as the writer writes it. */
async function written(body: Uint8Array): Promise<string> {
  const made: Buffer[] = [];
  const batches = new BatchWriter((batch) => {
    made.push(Buffer.from(batch));
    return Promise.resolve();
  });
  await batches.body(body);
  await batches.end();
  return Buffer.concat(made).toString('utf8');
}

const text = fc.oneof(
  fc.string({ maxLength: 200, unit: 'binary' }),
  fc.string({
    maxLength: 200,
    unit: fc.constantFrom('a', 'b', '"', '\\', '\n', '\0', '\x1f', '\x7f', 'ü', '😀'),
  }),
);

describe('a body that is text', () => {
  it('is escaped as by JSON.stringify, at any offset', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.nat(7), async (whole, shift) => {
        const bytes = Buffer.from(whole.toWellFormed());
        const source = Buffer.alloc(bytes.length + 8).subarray(shift, shift + bytes.length);
        bytes.copy(source);
        expect(await written(source)).toBe(JSON.stringify({ text: whole.toWellFormed() }));
      }),
      { numRuns: 500 },
    );
  });

  it('is escaped as by JSON.stringify if every byte needs the longest escape, or a character crosses two pieces', async () => {
    for (const whole of ['\0'.repeat(300_000), `a${'ü'.repeat(100_000)}`, `abc${'😀'.repeat(50_000)}`])
      expect(await written(Buffer.from(whole))).toBe(JSON.stringify({ text: whole }));
  });

  it('has every ASCII character escaped that needs it', async () => {
    const ascii = String.fromCharCode(...Array.from({ length: 0x80 }, (_, code) => code));
    expect(await written(Buffer.from(ascii))).toBe(JSON.stringify({ text: ascii }));
  });
});

describe('BatchWriter', () => {
  it('writes everything in order, including texts longer than a batch', async () => {
    const made: Buffer[] = [];
    const batches = new BatchWriter(async (batch) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      made.push(Buffer.from(batch));
    });
    const long = 'ü€😀"\n'.repeat(100_000);
    await batches.text('head');
    await batches.text(long);
    await batches.body(Buffer.from(long));
    await batches.text('-');
    await batches.body(Buffer.from([0xff, ...Buffer.from(long)]));
    for (let count = 0; count < 1_000; count += 1) await batches.text('x'.repeat(1_000));
    await batches.end();
    const base64 = Buffer.from([0xff, ...Buffer.from(long)]).toString('base64');
    const expected = `head${long}{"text":${JSON.stringify(long)}}-{"base64":"${base64}"}${'x'.repeat(1_000_000)}`;
    expect(Buffer.concat(made).equals(Buffer.from(expected))).toBe(true);
  });
});
