import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BatchWriter, escapeJson } from '../../../src/evidence/batch-writer.ts';

/** The output through a target buffer of this size, which is emptied when full. */
function escaped(source: Uint8Array, room: number): string {
  const target = Buffer.alloc(room);
  const pieces: Buffer[] = [];
  for (let from = 0; from < source.length; ) {
    const { read, written } = escapeJson(source, from, target, 0);
    if (read === from) throw new Error('nothing was read');
    pieces.push(Buffer.from(target.subarray(0, written)));
    from = read;
  }
  return Buffer.concat(pieces).toString('utf8');
}

const text = fc.oneof(
  fc.string({ maxLength: 200, unit: 'binary' }),
  fc.string({
    maxLength: 200,
    unit: fc.constantFrom('a', 'b', '"', '\\', '\n', '\0', '\x1f', '\x7f', 'ü', '😀'),
  }),
);

describe('escapeJson', () => {
  it('equals JSON.stringify for any offset and buffer size', () => {
    fc.assert(
      fc.property(text, fc.nat(7), fc.integer({ min: 6_144, max: 7_000 }), (whole, shift, room) => {
        const bytes = Buffer.from(whole.toWellFormed());
        const source = Buffer.alloc(bytes.length + 8).subarray(shift, shift + bytes.length);
        bytes.copy(source);
        expect(escaped(source, room)).toBe(JSON.stringify(whole.toWellFormed()).slice(1, -1));
      }),
      { numRuns: 2_000 },
    );
  });

  it('escapes every byte that needs it, at each alignment', () => {
    for (let code = 0; code < 0x80; code += 1) {
      for (let place = 0; place < 4; place += 1) {
        const whole = `${'a'.repeat(place)}${String.fromCharCode(code)}${'b'.repeat(8)}`;
        expect(escaped(Buffer.from(whole), 7_000)).toBe(JSON.stringify(whole).slice(1, -1));
      }
    }
  });

  it('stops before the target is full, and returns its progress', () => {
    const target = Buffer.alloc(40, '#');
    expect(escapeJson(Buffer.from('\0'.repeat(5)), 0, target, 10)).toEqual({ read: 5, written: 40 });
    expect(escapeJson(Buffer.from('\0'.repeat(6)), 0, target, 10)).toEqual({ read: 0, written: 10 });
    const long = Buffer.from('"\n'.repeat(5_000));
    const { read, written } = escapeJson(long, 0, Buffer.alloc(20_000), 0);
    expect(read).toBeGreaterThan(0);
    expect(written).toBe(2 * read);
    expect(written).toBeLessThanOrEqual(20_000);
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
