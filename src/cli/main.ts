#!/usr/bin/env node

// Everything else is loaded afterwards: an older Node.js fails on what it does not have, in words of its own.
if (isOld(process.versions.node)) {
  process.stderr.write(
    `assay: Assay needs Node.js 20.19 or newer, and this is Node.js ${process.versions.node}\n`,
  );
  process.exitCode = 3;
} else await main();

// As `engines` of package.json says.
function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < 20 || (major === 20 && minor < 19);
}

async function main(): Promise<void> {
  const { dispatch } = await import('./dispatch.ts');
  const { withLoss } = await import('./shared/exit-status.ts');
  const { processHost } = await import('./host.ts');
  const host = processHost();
  const status = await dispatch(process.argv.slice(2), host);
  // What stands in the pipes is written out first; what else is still open must not keep the process alive.
  await Promise.all([process.stdout, process.stderr].map(flushed));
  process.exit(withLoss(status, host.lost()));
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    // What could not be written is told a moment later.
    stream.write('', () => setImmediate(resolve));
  });
}
