import { randomBytes } from 'node:crypto';
import { createReadStream, realpathSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { FORMATS, formatEntry } from '../../report/formats/table.ts';
import { renderRuns, renderRunsPage } from '../../report/history/runs-page.tsx';
import { stateOf } from './state.ts';

/** A server of reports that is listening. */
export interface ReportServer {
  /** The URL to open; its path contains a secret of this server. */
  readonly address: string;
  readonly close: () => Promise<void>;
}

/** Polling interval while a page is open, in milliseconds. */
const POLL_INTERVAL_MS = 500;

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
  const watchers = new Set<ServerResponse>();
  const site: Site = { folder, secret, watchers };
  const server = createServer((request, response) => {
    answer(site, request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const timer = poll(folder, watchers);
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${actualPort}/${secret}/`,
    close: async () => {
      clearInterval(timer);
      for (const watcher of watchers) watcher.end();
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

// Polling is cheap and works on every file system; fs.watch does not.
function poll(folder: string, watchers: ReadonlySet<ServerResponse>): NodeJS.Timeout {
  let last = '';
  let polling = false;
  const timer = setInterval(() => {
    if (watchers.size === 0 || polling) return;
    polling = true;
    stateOf(folder)
      .then((state) => {
        const drawn = renderRuns(state);
        if (drawn === last) return;
        last = drawn;
        for (const watcher of watchers) watcher.write(eventOf(drawn));
      })
      .catch(() => undefined)
      .finally(() => {
        polling = false;
      });
  }, POLL_INTERVAL_MS);
  timer.unref();
  return timer;
}

function eventOf(drawn: string): string {
  return `event: runs\ndata: ${drawn.replaceAll('\n', '\ndata: ')}\n\n`;
}

/** What a server shows, to whom. */
interface Site {
  readonly folder: string;
  /** The first part of every path. */
  readonly secret: string;
  /** Open connections that receive changes. */
  readonly watchers: Set<ServerResponse>;
}

async function answer(
  { folder, secret, watchers }: Site,
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
  } else if (section === 'events' && rest.length === 0) {
    // Send changes since the page was rendered.
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    watchers.add(response);
    response.on('close', () => watchers.delete(response));
    response.write(eventOf(renderRuns(await stateOf(folder))));
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
