import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { assayRun, assayTraversal } from '../assay.ts';
import { measureInterleaved, type Row, ratioRows } from '../comparison.ts';
import { MEASUREMENTS, type Part } from '../part.ts';
import { root } from '../paths.ts';
import { type Candidate, type Cost, measureProcess } from '../process.ts';
import { type Provider, startProvider, targetFile } from '../provider/start.ts';
import { ratioOf } from '../statistics.ts';

const run = promisify(execFile);
const home = path.join(root, 'bench/peers');

/** Another tool, with its arguments for a smoke test and a traversal. */
interface Peer {
  readonly name: string;
  /** Path of its program in node_modules; null if the script itself is the program. */
  readonly program: string | null;
  readonly smoke: readonly string[];
  /** Maximum ratio of Assay's smoke test to this tool's; missing if there is no limit. */
  readonly smokeBar?: number;
  readonly traversal: readonly string[];
  /** Maximum ratio for a page of a traversal. */
  readonly pageBar?: number;
}

const others: readonly Peer[] = [
  {
    name: 'newman',
    program: 'newman/bin/newman.js',
    smoke: ['run', 'smoke.json', '--env-var', 'url=URL', '--env-var', 'secret=SECRET'],
    // Assay is at least three times faster.
    smokeBar: 0.333,
    pageBar: 0.1,
    traversal: [
      'run',
      'traversal.json',
      '--env-var',
      'url=URL',
      '--env-var',
      'secret=SECRET',
      '--reporters',
      'cli',
      '--reporter-cli-silent',
    ],
  },
  { name: 'pactum', program: null, smoke: ['smoke.mjs'], traversal: ['traversal.mjs'], pageBar: 1 },
];

export const peers: Part = {
  name: 'peers',
  about:
    'A smoke test, and a traversal of 100,000 records, written for other tools as their users would (bench/peers). Time of Assay by theirs; below 1 is faster. Only Assay reports, keeps evidence and confirms failures. A page: the traversal minus one of three pages.',
  measure: async (folder) => {
    const small = await startProvider({ records: 1234, latencyMs: 0 });
    const long = await startProvider({ records: 100_000, latencyMs: 0 });
    try {
      const rows: Row[] = [];
      for (const peer of others) {
        try {
          rows.push(...(await comparePeer(peer, { small, long }, folder)));
        } catch (error) {
          const [problem = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
          rows.push({ what: peer.name, value: `not measured: ${problem}`, unit: '' });
        }
      }
      return rows;
    } finally {
      small.stop();
      long.stop();
    }
  },
};

interface Providers {
  readonly small: Provider;
  readonly long: Provider;
}

/** Compares Assay with a peer: a smoke test and a traversal. Throws if the peer fails. */
async function comparePeer(peer: Peer, providers: Providers, folder: string): Promise<readonly Row[]> {
  const problem = await install(peer);
  if (problem !== null) return [{ what: peer.name, value: `not measured: ${problem}`, unit: '' }];
  const { small } = providers;
  const smoke = await measureInterleaved(
    {
      assay: assayRun([targetFile(folder, 'small', small)], folder, '--suite', 'smoke'),
      peer: candidate(peer, peer.smoke, small),
    },
    { times: MEASUREMENTS },
  );
  return [
    ...ratioRows(`a smoke test by one of ${peer.name}`, smoke.assay, smoke.peer, peer.smokeBar),
    ...(await compareTraversals(peer, providers, folder)),
  ];
}

async function compareTraversals(
  peer: Peer,
  { small, long }: Providers,
  folder: string,
): Promise<readonly Row[]> {
  const costs = await measureInterleaved(
    {
      assay: assayTraversal(targetFile(folder, 'long', long), folder),
      peer: candidate(peer, peer.traversal, long),
      assayStart: assayTraversal(targetFile(folder, 'small', small), folder),
      peerStart: candidate(peer, peer.traversal, small),
    },
    { times: 5 },
  );
  const withoutStart = (traversals: readonly Cost[], start: readonly Cost[]): readonly number[] =>
    traversals.map(({ wallMs }, index) => wallMs - (start[index]?.wallMs ?? 0));
  return [
    ...ratioRows(`a traversal by one of ${peer.name}`, costs.assay, costs.peer),
    {
      what: `a page by one of ${peer.name}`,
      value: ratioOf(withoutStart(costs.assay, costs.assayStart), withoutStart(costs.peer, costs.peerStart)),
      unit: 'x',
      ...(peer.pageBar === undefined ? {} : { bar: peer.pageBar }),
    },
  ];
}

function candidate(peer: Peer, words: readonly string[], { url, clientSecret: secret }: Provider): Candidate {
  const args = words.map((word) => word.replace('URL', url).replace('SECRET', secret));
  const cwd = path.join(home, peer.name);
  const program = peer.program === null ? [] : [path.join(cwd, 'node_modules', peer.program)];
  return { words: [...program, ...args], cwd, env: { BENCH_URL: url, BENCH_SECRET: secret } };
}

/** Installs a peer if necessary. Returns why it cannot be installed, or null. */
async function install(peer: Peer): Promise<string | null> {
  const cwd = path.join(home, peer.name);
  if (existsSync(path.join(cwd, 'node_modules'))) return null;
  try {
    await run('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts'], {
      cwd,
    });
    await measureProcess({ words: ['--eval', '0'] });
    return null;
  } catch (error) {
    return `npm could not install it (${error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''})`;
  }
}
