import { Buffer, isUtf8 } from 'node:buffer';

/** Bytes turned into text at a time: a multiple of three, so that pieces of base64 join without padding. */
const PIECE_BYTES = 98_304;

/**
 * A body as the JSON text of its member, `{"text":"…"}` or `{"base64":"…"}`, in pieces. A body of many
 * megabytes is thus never held as one string.
 */
export function* bodyPieces(body: Uint8Array): Generator<string> {
  const text = isUtf8(body);
  yield text ? '{"text":"' : '{"base64":"';
  yield* text ? textPieces(body) : base64Pieces(body);
  yield '"}';
}

function* textPieces(body: Uint8Array): Generator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    const piece = decoder.decode(body.subarray(at, at + PIECE_BYTES), { stream: true });
    yield JSON.stringify(piece).slice(1, -1);
  }
}

function* base64Pieces(body: Uint8Array): Generator<string> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    const length = Math.min(PIECE_BYTES, body.length - at);
    yield Buffer.from(body.buffer, body.byteOffset + at, length).toString('base64');
  }
}
