import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { FILE_NAMES } from '../../core/file-names.ts';
import { readRegularFile } from '../../core/files.ts';
import { isJsonObject, parsedJson } from '../../core/json-text.ts';
import { getOrMake } from '../../core/maps.ts';
import { VERDICTS } from '../../core/verdict.ts';
import { isCount } from '../../evidence/shape.ts';
import { countVerdicts } from '../../report/findings.ts';
import { FORMATS, formatEntry } from '../../report/formats/table.ts';
import {
  type FinishedRun,
  type RunningTarget,
  type RunsPage,
  renderRunsPage,
} from '../../report/history/runs-page.tsx';
import { outcomeAmongRuns, stampOf, stampStyle } from '../../report/wording/headline.ts';
import { PROGRESS } from '../run/progress.ts';
import { readResults, runNamesIn } from '../shared/run-files/results-file.ts';

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
 * Serves a folder of runs on loopback. The path begins with a random secret, so that other users and pages in the
 * browser cannot guess it. Requests for other hosts are refused, which prevents DNS rebinding. Throws Node's error if
 * the port cannot be opened.
 */
export async function startReportServer(folder: string, port: number): Promise<ReportServer> {
  const secret = randomBytes(16).toString('hex');
  const server = createServer((request, response) => {
    answer(folder, secret, request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${actualPort}/${secret}/`,
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

async function answer(
  folder: string,
  secret: string,
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

const known = new Map<string, FinishedRun>();

/** Reads a folder of runs; runs that cannot be read are skipped. */
export async function stateOf(folder: string): Promise<RunsPage> {
  if (!existsSync(folder)) return { running: [], finished: [] };
  const finished: FinishedRun[] = [];
  for (const name of runNamesIn(folder)) {
    const run = known.get(name) ?? (await finishedRun(folder, name));
    if (run === null) continue;
    // A folder of --out may be replaced; a folder named after a run id never is.
    if (/^\d{8}-\d{6}-/u.test(name)) known.set(name, run);
    finished.push(run);
  }
  return {
    running: runningIn(folder),
    finished: finished.toSorted((one, other) => other.at.localeCompare(one.at)),
  };
}

async function finishedRun(folder: string, name: string): Promise<FinishedRun | null> {
  try {
    const results = await readResults(path.join(folder, name, FILE_NAMES.results));
    const { run, targets } = results;
    const outcome = outcomeAmongRuns({ words: stampOf(results), style: stampStyle(results) }, results);
    const counts = countVerdicts(targets.flatMap(({ requirements }) => requirements));
    return { name, at: run.startedAt, outcome, targets: targets.map((target) => target.name), counts };
  } catch {
    return null;
  }
}

const MAX_PROGRESS_BYTES = 268_435_456;

function runningIn(folder: string): RunsPage['running'] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.startsWith('.'))
    .flatMap((entry) => {
      const file = path.join(folder, entry.name, PROGRESS);
      try {
        const text = readRegularFile(file, MAX_PROGRESS_BYTES).toString('utf8');
        return [{ name: entry.name.slice(1), targets: targetsIn(text) }];
      } catch {
        // Not a run, or just finished.
        return [];
      }
    });
}

interface TargetProgress extends Omit<RunningTarget, 'verdicts'> {
  requirements: number;
  requests: number;
  /** The last verdict by requirement and list: some are judged twice. */
  readonly latest: Map<string, RunningTarget['verdicts'][number]>;
}

/** The targets of a progress file. Invalid lines are skipped, such as a partly written last line. */
function targetsIn(text: string): readonly RunningTarget[] {
  const targets = new Map<string, TargetProgress>();
  const progressOf = (name: string): TargetProgress =>
    getOrMake(targets, name, () => ({ name, requirements: 0, requests: 0, latest: new Map() }));
  for (const line of text.split('\n').map(parsedJson)) {
    if (!isJsonObject(line)) continue;
    const { type, target, requirements, requests, id, resource, verdict, reason } = line;
    if (typeof target !== 'string') continue;
    if (type === 'target-started' && isCount(requirements)) progressOf(target).requirements = requirements;
    else if (type === 'progress' && isCount(requests)) progressOf(target).requests = requests;
    else if (type === 'verdict' && typeof id === 'string') {
      const known = VERDICTS.find((one) => one === verdict);
      if (known !== undefined && (reason === null || typeof reason === 'string'))
        progressOf(target).latest.set(JSON.stringify([id, resource ?? null]), { id, verdict: known, reason });
    }
  }
  return [...targets.values()].map(({ latest, ...target }) => ({
    ...target,
    verdicts: [...latest.values()],
  }));
}
