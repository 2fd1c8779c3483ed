/**
 * `npm run bench [-- --only smoke,traversal]`: compares Assay with baseline programs and other tools. Parts that
 * are not measured keep their values in bench/results.json.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { parts } from './parts.ts';
import { root } from './paths.ts';
import {
  barStatus,
  formatValue,
  type Machine,
  type MeasuredPart,
  measuredPart,
  resultsPage,
} from './table.ts';

const RESULTS = path.join(root, 'bench/results.json');
const PAGE = path.join(root, 'docs/bench.md');

interface Results {
  readonly machine: Machine;
  readonly parts: readonly MeasuredPart[];
}

const names = parts.map(({ name }) => name);
const chosen = onlyOption()?.split(',') ?? names;
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0)
  exitWithUsageError(`there is no part ${unknown.join(', ')}; there are ${names.join(', ')}`);

const machine: Machine = {
  node: process.version,
  cpus: os.availableParallelism(),
  cpu: os.cpus()[0]?.model ?? 'unknown',
  load: Math.round((os.loadavg()[0] ?? 0) * 10) / 10,
};
const known = new Map(readEarlierResults().map((one) => [one.name, one]));
let hasFailed = false;
for (const part of parts) {
  if (!chosen.includes(part.name)) continue;
  process.stdout.write(`${part.name}: ${part.about}\n`);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'));
  try {
    const rows = await part.measure(folder);
    for (const row of rows) process.stdout.write(`  ${row.what}: ${formatValue(row)} ${barStatus(row)}\n`);
    known.set(part.name, measuredPart(part, rows));
  } catch (error) {
    hasFailed = true;
    process.stdout.write(`  not measured: ${error instanceof Error ? error.message : String(error)}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  writeResults();
}
process.exitCode = hasFailed ? 1 : 0;

function onlyOption(): string | undefined {
  try {
    return parseArgs({ options: { only: { type: 'string' } } }).values.only;
  } catch {
    exitWithUsageError(`usage: npm run bench [-- --only PART,PART]; the parts are ${names.join(', ')}`);
  }
}

function exitWithUsageError(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(3);
}

function readEarlierResults(): readonly MeasuredPart[] {
  return existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as Results).parts : [];
}

function writeResults(): void {
  const all = parts.flatMap(({ name, about }) => {
    const measured = known.get(name);
    return measured === undefined ? [] : [{ ...measured, about }];
  });
  writeFileSync(RESULTS, `${JSON.stringify({ machine, parts: all } satisfies Results, null, 2)}\n`);
  writeFileSync(PAGE, resultsPage(all, machine));
}
