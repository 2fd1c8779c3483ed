import { PassThrough } from 'node:stream';
import { type Host, type Output, warnerOf } from '../../src/cli/command.ts';
import { dispatch } from '../../src/cli/program.ts';

/** An output that stores the written text. */
interface KeptOutput extends Output {
  text: () => string;
}

export function keptOutput(parts: Partial<Output> = {}): KeptOutput {
  let kept = '';
  const keep = (text: string): void => {
    kept += text;
  };
  return {
    write: keep,
    writeCommands: keep,
    live: false,
    colour: false,
    width: () => 100,
    text: () => kept,
    ...parts,
  };
}

export function fakeHost(
  env: Host['env'] = {},
): Host & { readonly out: KeptOutput; readonly err: KeptOutput } {
  const outLost = new Promise<void>(() => undefined);
  const err = keptOutput();
  return { in: () => new PassThrough(), out: keptOutput(), err, warn: warnerOf(err), env, outLost };
}

/** Runs a command line in this process, with these environment variables. */
export async function said(
  words: readonly string[],
  env: Host['env'] = {},
): Promise<{ readonly status: number; readonly out: string; readonly err: string }> {
  const host = fakeHost(env);
  const status = await dispatch(words, host);
  return { status, out: host.out.text(), err: host.err.text() };
}
