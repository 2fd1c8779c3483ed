#!/usr/bin/env node
import { dispatch } from './dispatch.ts';
import { withLoss } from './exit-status.ts';
import { processHost } from './host.ts';

const host = processHost();
const status = await dispatch(process.argv.slice(2), host);
// What stands in the pipes is written out first; what else is still open must not keep the process alive.
await Promise.all([process.stdout, process.stderr].map(flushed));
process.exit(withLoss(status, host.lost()));

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    // What could not be written is told a moment later.
    stream.write('', () => setImmediate(resolve));
  });
}
