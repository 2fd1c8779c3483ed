import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Collector } from '../../../src/http/answer/body-reader.ts';

/** A chunk of a connection: with its own memory or as part of a larger buffer. */
function piece(bytes: Uint8Array, own: boolean): Uint8Array {
  if (own) return Uint8Array.from(bytes);
  const larger = new Uint8Array(bytes.length + 10);
  larger.set(bytes, 3);
  return larger.subarray(3, 3 + bytes.length);
}

describe('Collector', () => {
  it('returns the added bytes for any chunks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.uint8Array({ maxLength: 40_000 }), fc.boolean()), { maxLength: 8 }),
        fc.constantFrom(0, 10, 50_000),
        (pieces, announced) => {
          const collector = new Collector(1_000_000, announced);
          for (const [bytes, own] of pieces) expect(collector.add(piece(bytes, own))).toBe(true);
          const whole = Buffer.concat(pieces.map(([bytes]) => bytes));
          expect(collector.length).toBe(whole.length);
          expect(whole.equals(collector.take())).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('does not copy a body of one chunk', () => {
    const whole = Uint8Array.of(1, 2, 3);
    const collector = new Collector(3, 3);
    expect(collector.add(whole)).toBe(true);
    expect(collector.take().buffer).toBe(whole.buffer);
  });

  it('does not change the first chunk when more follows', () => {
    const first = Uint8Array.of(1, 2, 3);
    const collector = new Collector(10, 0);
    collector.add(first);
    collector.add(Uint8Array.of(4));
    expect([...collector.take()]).toEqual([1, 2, 3, 4]);
    expect([...first]).toEqual([1, 2, 3]);
  });

  it('keeps no more memory than the body', () => {
    const collector = new Collector(1_000_000, 0);
    collector.add(piece(new Uint8Array(100), false));
    expect(collector.take().buffer.byteLength).toBe(100);
  });

  it('allocates the announced length up to 1 MiB', () => {
    const roomFor = (announced: number, bytes: number): number => {
      const collector = new Collector(67_108_864, announced);
      collector.add(piece(new Uint8Array(bytes), false));
      return collector.take().buffer.byteLength;
    };
    expect(roomFor(1_048_576, 1_000_000)).toBe(1_048_576);
    // The initial buffer for a body of unknown length.
    expect(roomFor(1_048_577, 15_000)).toBe(roomFor(0, 15_000));
    expect(roomFor(0, 15_000)).toBe(16_384);
  });

  it('rejects a body of one byte more than allowed', () => {
    const collector = new Collector(4, 0);
    expect(collector.add(Uint8Array.of(1, 2, 3, 4))).toBe(true);
    expect(collector.add(Uint8Array.of(5))).toBe(false);
    expect(new Collector(4, 0).add(new Uint8Array(5))).toBe(false);
  });
});
