/** A list with records of equal size, so that any page is a slice of one buffer. */
export interface Records {
  readonly count: number;
  /** Up to `size` records from `skip`, as the content of a JSON array. */
  readonly slice: (skip: number, size: number) => Buffer;
  /** The number of those records. */
  readonly sizeOf: (skip: number, size: number) => number;
}

const DIGITS = 8;

/** Serialises a list of printers, about 120 bytes per record. */
export function recordsOf(count: number): Records {
  const width = Buffer.byteLength(textOf(0));
  const all = Buffer.allocUnsafe(count * width);
  for (let index = 0; index < count; index++) all.write(textOf(index), index * width, 'latin1');
  const sizeOf = (skip: number, size: number): number => Math.max(0, Math.min(size, count - skip));
  return {
    count,
    sizeOf,
    slice: (skip, size) => {
      const records = sizeOf(skip, size);
      // Without the comma that ends each record.
      return all.subarray(skip * width, Math.max(skip * width, (skip + records) * width - 1));
    },
  };
}

function textOf(index: number): string {
  const number = String(index).padStart(DIGITS, '0');
  return `{"id":"printer-${number}","displayName":"Printer ${number}, third floor, corridor to the left","agent":"agent-${number}"},`;
}
