import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type {
  FullConfig,
  FullResult,
  Reporter,
  TestCase,
  TestResult,
  Suite as TestSuite,
} from '@playwright/test/reporter';
import { requirements } from '../catalogue/index.ts';
import { packageVersion } from '../core/package-file.ts';
import type {
  ObservationResult,
  RequirementResult,
  Results,
  Suite,
  TargetResult,
  Traffic,
} from '../core/results.ts';
import { outcomeOf, worstOutcome } from '../core/verdict.ts';
import { readEvidence } from '../evidence/reader.ts';
import type { EvidenceViews } from './data.ts';
import { gatherEvidence } from './evidence/gather.ts';
import { RunFolder } from './run-folder.ts';
import { type Format, writeReports } from './write.ts';

/** Attachment of a test that carries its requirement's result. */
const RESULT = 'assay-result.json';

/** Attachment of the test that looks at what the specification leaves open. */
const OBSERVATIONS = 'assay-observations.json';

interface Observed {
  readonly target: string;
  readonly observations: readonly ObservationResult[];
}

interface Carried {
  readonly target: { readonly name: string; readonly authUrl: string; readonly baseUrl: string };
  readonly result: RequirementResult;
  readonly records: TargetResult['records'];
  readonly traffic: Traffic;
}

/**
 * A Playwright reporter that gathers what the tests attach into the same results.json and report.html that
 * `assay run` writes. Tests that never started leave the run incomplete.
 */
export class Collector implements Reporter {
  readonly #formats: readonly Format[];
  readonly #carried = new Map<string, Carried[]>();
  readonly #observed = new Map<string, readonly ObservationResult[]>();
  #startedAt = new Date();
  #expected = 0;
  #met = 0;
  #command = 'npx playwright test';

  /** `formats`: what is written besides results.json and report.html; JUnit XML unless told. */
  constructor({ formats = ['junit'] }: { readonly formats?: readonly Format[] } = {}) {
    this.#formats = formats;
  }

  onBegin(_config: FullConfig, suite: TestSuite): void {
    this.#startedAt = new Date();
    this.#expected = suite.allTests().length;
    this.#command = ['npx playwright', ...process.argv.slice(2)].join(' ');
  }

  onTestEnd(_test: TestCase, result: TestResult): void {
    const observed = result.attachments.find(({ name }) => name === OBSERVATIONS)?.body;
    if (observed !== undefined) {
      const { target, observations } = JSON.parse(observed.toString('utf8')) as Observed;
      this.#observed.set(target, observations);
      this.#met++;
      return;
    }
    const body = result.attachments.find(({ name }) => name === RESULT)?.body;
    if (body === undefined) return;
    this.#met++;
    const carried = JSON.parse(body.toString('utf8')) as Carried;
    const known = this.#carried.get(carried.target.name);
    if (known === undefined) this.#carried.set(carried.target.name, [carried]);
    else known.push(carried);
  }

  async onEnd(result: FullResult): Promise<void> {
    if (this.#carried.size === 0) return;
    const results = this.#results(result.status !== 'interrupted' && this.#met === this.#expected);
    const folder = RunFolder.open({ out: process.env['ASSAY_OUT'] ?? null, runId: results.run.id });
    const evidence = this.#joinEvidence(folder.staging);
    const views = evidence === null ? new Map() : await this.#views(results, evidence);
    await writeReports({ results, evidence: views, prove: null }, folder.staging, this.#formats);
    const place = await folder.commit();
    process.stdout.write(`\nAssay: ${results.outcome}. Report: ${path.join(place, 'report.html')}\n`);
  }

  printsToStdio(): boolean {
    return false;
  }

  #results(complete: boolean): Results {
    const targets = [...this.#carried].map(([name, carried]) =>
      targetOf(carried, this.#observed.get(name) ?? []),
    );
    const environment = process.env;
    return {
      format: 'assay-results/1',
      tool: { name: 'assay', version: packageVersion(), node: process.version },
      run: {
        id: RunFolder.newId(this.#startedAt),
        startedAt: this.#startedAt.toISOString(),
        finishedAt: new Date().toISOString(),
        suite: (environment['ASSAY_SUITE'] ?? 'full') as Suite,
        seed: Number(environment['ASSAY_SEED'] ?? 0),
        complete,
        command: this.#command,
      },
      outcome: worstOutcome(targets.map(({ outcome }) => outcome)),
      targets,
    };
  }

  // Evidence that cannot be read costs the pictures, not the report.
  #views(results: Results, file: string): Promise<EvidenceViews> {
    return gatherEvidence(results, readEvidence(file)).catch(() => new Map());
  }

  // Gzip files put one behind the other are one gzip file.
  #joinEvidence(folder: string): string | null {
    const shared = process.env['ASSAY_SHARED'];
    if (shared === undefined) return null;
    mkdirSync(folder, { recursive: true });
    const parts = readdirSync(shared, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.startsWith('evidence-'))
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort();
    if (parts.length === 0) return null;
    const file = path.join(folder, 'evidence.ndjson.gz');
    writeFileSync(file, Buffer.concat(parts.map((part) => readFileSync(part))));
    return file;
  }
}

function targetOf(carried: readonly Carried[], observations: readonly ObservationResult[]): TargetResult {
  const last = carried.at(-1) as Carried;
  const order = new Map(requirements.map(({ id }, index) => [id, index]));
  const results = carried
    .map(({ result }) => result)
    .sort((one, other) => (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0));
  const records: { [resource: string]: number | null } = {};
  for (const one of carried)
    for (const [resource, count] of Object.entries(one.records))
      records[resource] = count ?? records[resource] ?? null;
  return {
    ...last.target,
    outcome: outcomeOf(results.map(({ verdict, waiver }) => ({ verdict, waived: waiver?.active === true }))),
    records,
    requirements: results,
    observations,
    traffic: carried.reduce(
      (most, { traffic }) => (traffic.requests > most.requests ? traffic : most),
      last.traffic,
    ),
  };
}

export default Collector;
