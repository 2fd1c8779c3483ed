import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Collector } from '../../../src/http/answer/body-reader.ts';

/** A chunk of a connection, as part of a larger buffer. */
function piece(bytes: Uint8Array): Uint8Array {
  const larger = new Uint8Array(bytes.length + 10);
  larger.set(bytes, 3);
  return larger.subarray(3, 3 + bytes.length);
}

describe('Collector', () => {
  it('returns the added bytes for any chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40_000 }), { maxLength: 8 }), (pieces) => {
        const collector = new Collector(1_000_000);
        for (const bytes of pieces) expect(collector.add(piece(bytes))).toBe(true);
        const whole = Buffer.concat(pieces);
        expect(collector.length).toBe(whole.length);
        expect(whole.equals(collector.take())).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('does not change the first chunk when more follows', () => {
    const first = Uint8Array.of(1, 2, 3);
    const collector = new Collector(10);
    collector.add(first);
    collector.add(Uint8Array.of(4));
    expect([...collector.take()]).toEqual([1, 2, 3, 4]);
    expect([...first]).toEqual([1, 2, 3]);
  });

  it('keeps no more memory than the body', () => {
    const collector = new Collector(1_000_000);
    collector.add(piece(new Uint8Array(100)));
    expect(collector.take().buffer.byteLength).toBe(100);
  });

  it('rejects a body of one byte more than allowed', () => {
    const collector = new Collector(4);
    expect(collector.add(Uint8Array.of(1, 2, 3, 4))).toBe(true);
    expect(collector.add(Uint8Array.of(5))).toBe(false);
    expect(new Collector(4).add(new Uint8Array(5))).toBe(false);
  });
});
