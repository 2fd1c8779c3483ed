import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { compiled } from '../paths.ts';
import type { ServerFacts, ServerOptions } from './server.ts';

/** A provider in a separate process. */
export interface Provider extends ServerFacts {
  readonly pid: number;
  readonly stop: () => void;
}

/** Starts a provider and waits until it listens. */
export async function startProvider(options: ServerOptions): Promise<Provider> {
  const child = spawn(process.execPath, [compiled('provider/server.js'), JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const facts = await new Promise<ServerFacts>((resolve, reject) => {
    let line = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      line += text;
      if (line.endsWith('\n')) resolve(JSON.parse(line) as ServerFacts);
    });
    child.on('exit', () => reject(new Error('the provider of the bench did not start')));
  });
  return { ...facts, pid: child.pid ?? 0, stop: () => child.stdin.end() };
}

/** Limits that are never reached. */
const LIFTED = { requestsPerSecond: 100_000, maxRequests: 1_000_000, maxTotalBytes: 1e12 };

/**
 * Writes a target file for a provider. `prefix` distinguishes targets of one process; `lifted: false` keeps
 * the default limits.
 */
export function targetFile(
  folder: string,
  name: string,
  provider: ServerFacts,
  { prefix = '', lifted = true } = {},
): string {
  const file = path.join(folder, `${name}.json`);
  const { url, tenant, clientId, clientSecret, scope } = provider;
  const target = {
    name,
    authUrl: `${url}${prefix}`,
    baseUrl: `${url}${prefix}`,
    tenant,
    credentials: { clientId, clientSecret, scope },
    ...(lifted ? { limits: LIFTED } : {}),
  };
  writeFileSync(file, JSON.stringify(target));
  return file;
}
