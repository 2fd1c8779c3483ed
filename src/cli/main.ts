#!/usr/bin/env node

// Other modules are imported dynamically, because an older Node.js would fail on them with a different error.
if (isOld(process.versions.node))
  stop(`Assay needs Node.js 20.19 or newer, and this is Node.js ${process.versions.node}`);
else if (!isInFolder()) stop('the current folder does not exist any more: change to another one');
else await main();

function stop(sentence: string): void {
  process.stderr.write(`assay: ${sentence}\n`);
  process.exitCode = 3;
}

// Modules of the command line read the current folder when they are loaded.
function isInFolder(): boolean {
  try {
    process.cwd();
    return true;
  } catch {
    return false;
  }
}

// Matches `engines` in package.json.
function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < 20 || (major === 20 && minor < 19);
}

async function main(): Promise<void> {
  await keepCompiledCode();
  const { dispatch } = await import('./program.ts');
  const { processHost, statusWithLoss } = await import('./command.ts');
  const host = processHost();
  const status = await dispatch(process.argv.slice(2), host);
  // Flush pipes, then exit: open sockets must not keep the process alive.
  await Promise.all([process.stdout, process.stderr].map(flushed));
  process.exit(statusWithLoss(status, host.lost()));
}

/** Has Node.js 22 and newer keep the compiled modules beside the build, so that the next command starts faster. */
async function keepCompiledCode(): Promise<void> {
  const module: object = await import('node:module');
  const { fileURLToPath } = await import('node:url');
  if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function')
    module.enableCompileCache(fileURLToPath(new URL('../../../.cache', import.meta.url)));
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    // The stream emits a write error one turn later.
    stream.write('', () => setImmediate(resolve));
  });
}
