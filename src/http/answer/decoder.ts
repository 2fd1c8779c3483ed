import type { TransformCallback } from 'node:stream';
import { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

const MAX_CODINGS = 4;

/**
 * The content codings of an answer in the order in which they were applied, without `identity`. Null if one
 * is unknown or if there are more than MAX_CODINGS, which only an attack sends.
 */
export function codingsOf(headers: readonly (readonly [string, string])[]): readonly string[] | null {
  const codings = headers
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  return codings.length <= MAX_CODINGS && codings.every(isKnown) ? codings : null;
}

function isKnown(coding: string): boolean {
  return ['gzip', 'x-gzip', 'deflate', 'br'].includes(coding);
}

/** A stream that decodes one of the codings that `codingsOf` returns. */
export function decoderFor(coding: string): Transform {
  switch (coding) {
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      return new EitherInflate();
    default:
      return createGunzip();
  }
}

// `deflate` means the zlib format (RFC 9110, 8.4.1.2), but many servers send raw deflate data. The first two
// bytes differ: a zlib header is a multiple of 31 and names method 8.
class EitherInflate extends Transform {
  #inner: Transform | null = null;
  #start = Buffer.alloc(0);

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#inner !== null) {
      forward(this.#inner, chunk, done);
      return;
    }
    this.#start = Buffer.concat([this.#start, chunk]);
    if (this.#start.length < 2) done();
    else forward(this.#begin(), this.#start, done);
  }

  override _flush(done: TransformCallback): void {
    const inner = this.#inner ?? this.#begin();
    if (this.#inner === null) inner.write(this.#start);
    if (inner.readableEnded) {
      done();
      return;
    }
    inner.once('end', () => done());
    inner.end();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inner?.destroy();
    done(error);
  }

  #begin(): Transform {
    const [first = 0, second = 0] = this.#start;
    const zlib = (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
    const inner = zlib ? createInflate() : createInflateRaw();
    this.#inner = inner;
    inner.on('data', (decoded: Buffer) => {
      if (!this.push(decoded)) inner.pause();
    });
    inner.on('error', (error) => this.destroy(error));
    return inner;
  }

  override _read(size: number): void {
    this.#inner?.resume();
    super._read(size);
  }
}

// Bytes after the end of the compressed data are dropped, as by Node's decoders.
function forward(inner: Transform, chunk: Buffer, done: TransformCallback): void {
  if (inner.readableEnded || inner.destroyed) {
    done();
    return;
  }
  // After the end of its data, a decoder never calls back from `write`, but it emits `end`.
  let called: boolean = false;
  const finished = (): void => {
    inner.off('end', finished);
    if (!called) done();
    called = true;
  };
  inner.once('end', finished);
  inner.write(chunk, finished);
}
