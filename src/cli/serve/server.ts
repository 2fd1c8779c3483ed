import { randomBytes } from 'node:crypto';
import { createReadStream, realpathSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { FORMATS, formatEntry } from '../../report/formats/table.ts';
import { renderRunsPage } from '../../report/history/runs-page.tsx';
import { stateOf } from './state.ts';

/** A server of reports that is listening. */
export interface ReportServer {
  /** The URL to open; its path contains a secret of this server. */
  readonly address: string;
  readonly close: () => Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    FORMATS.map(formatEntry).flatMap(({ file, mediaType }) =>
      mediaType === null ? [] : [[path.extname(file), mediaType]],
    ),
  ),
  '.json': 'application/json; charset=utf-8',
  '.gz': 'application/gzip',
};

/**
 * Serves a folder of runs on loopback. The path begins with a random secret, so that other users and pages in
 * the browser cannot guess it. Requests for other hosts are refused, which prevents DNS rebinding.
 *
 * @throws Node's error if the port cannot be opened
 */
export async function startReportServer(folder: string, port: number): Promise<ReportServer> {
  const secret = randomBytes(16).toString('hex');
  const server = createServer((request, response) => {
    answer({ folder, secret }, request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${actualPort}/${secret}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

/** What a server shows, to whom. */
interface Site {
  readonly folder: string;
  /** The first part of every path. */
  readonly secret: string;
}

async function answer(
  { folder, secret }: Site,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Cache-Control', 'no-store');
  const host = request.headers.host?.replace(/:\d+$/u, '');
  const parts = (request.url ?? '').split('?')[0]?.split('/').slice(1) ?? [];
  if ((host !== '127.0.0.1' && host !== 'localhost') || parts[0] !== secret || request.method !== 'GET') {
    response.writeHead(404).end();
    return;
  }
  const [, section, ...rest] = parts;
  if (section === '' && rest.length === 0) {
    response.writeHead(200, { 'Content-Type': TYPES['.html'] }).end(renderRunsPage(await stateOf(folder)));
  } else if (section === 'runs') {
    sendFile(folder, rest, response);
  } else {
    response.writeHead(404).end();
  }
}

function sendFile(folder: string, parts: readonly string[], response: ServerResponse): void {
  const file = fileWithin(folder, parts);
  if (file === null) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, {
    'Content-Type': TYPES[path.extname(file)] ?? 'application/octet-stream',
    'Content-Security-Policy': 'sandbox allow-scripts allow-modals',
  });
  createReadStream(file)
    .on('error', () => response.destroy())
    .pipe(response);
}

/** A file of a run inside the folder; null for anything else, including links that lead outside. */
function fileWithin(folder: string, parts: readonly string[]): string | null {
  try {
    const names = parts.map(decodeURIComponent);
    if (
      names.length < 2 ||
      names.some((name) => name === '' || name.startsWith('.') || /[/\\\0]/u.test(name))
    )
      return null;
    const root = realpathSync(folder);
    const file = realpathSync(path.join(root, ...names));
    return file.startsWith(root + path.sep) && statSync(file).isFile() ? file : null;
  } catch {
    return null;
  }
}
