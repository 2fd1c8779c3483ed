import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type {
  FullConfig,
  FullResult,
  Reporter,
  TestCase,
  TestResult,
  Suite as TestSuite,
} from '@playwright/test/reporter';
import { catalogue, requirements } from '../../specs/catalogue.ts';
import { reasonOf } from '../core/cause-sentences.ts';
import { type Conclusion, conclusionOf } from '../core/conclusion.ts';
import { packageVersion } from '../core/package-file.ts';
import type { ObservationResult, Results, Shard, Suite, TargetResult } from '../core/results.ts';
import { type SelectedTest, testTitle, writeSelectedTests } from '../core/selected-tests.ts';
import { combineParts, type Part } from '../core/target-result.ts';
import { outcomeOfAll } from '../core/verdict.ts';
import { printableLine } from '../core/workflow-commands.ts';
import { readEvidence } from '../evidence/reader.ts';
import { signingKey } from '../evidence/seal/keys.ts';
import { sealRun } from '../evidence/seal/seal-run.ts';
import { bodiesShown, gatherEvidence } from '../report/evidence/exchange-views.ts';
import type { Format } from '../report/formats/table.ts';
import { headline, stampOf } from '../report/headline.ts';
import type { EvidenceViews } from '../report/report-data.ts';
import { BLOB, RunFolder } from '../report/run-folder.ts';
import { writeReports } from '../report/write.ts';

/** Attachment of a test that carries its requirement's result. */
const RESULT = 'assay-result.json';

/** Attachment of the test that looks at what the specification leaves open. */
const OBSERVATIONS = 'assay-observations.json';

interface Carried extends Part {
  readonly target: Pick<TargetResult, 'name' | 'authUrl' | 'baseUrl' | 'product'>;
  /** Digest of the names of all targets of the run. */
  readonly targets: string;
}

interface Observed extends Carried {
  readonly observations: readonly ObservationResult[];
}

/**
 * A Playwright reporter that gathers what the tests attach into the same results.json and report.html that
 * `assay run` writes. Tests that never started leave the run incomplete.
 */
export class Collector implements Reporter {
  readonly #formats: readonly Format[];
  readonly #blob: string | null;
  readonly #carried = new Map<string, [Carried, ...Carried[]]>();
  readonly #observed = new Map<string, readonly ObservationResult[]>();
  #startedAt = new Date();
  #shard: Shard | null = null;
  /** Names of the targets in their order, whichever is done first. */
  #order: readonly string[] = [];
  #expected = 0;
  /** Target and title of each test of the run, as JSON. */
  #selected: ReadonlySet<string> = new Set();
  #met = 0;

  /**
   * `formats`: what is written besides results.json and report.html; JUnit XML unless told. `blob`: where the blob of a
   * shard will lie, to be taken into the run's folder.
   */
  constructor({
    formats = ['junit'],
    blob = null,
  }: { readonly formats?: readonly Format[]; readonly blob?: string | null } = {}) {
    this.#formats = formats;
    this.#blob = blob;
  }

  onBegin({ shard }: FullConfig, suite: TestSuite): void {
    this.#startedAt = new Date();
    const tests = suite.allTests();
    this.#expected = tests.length;
    const selected = tests.map((test): SelectedTest => [test.titlePath()[3] ?? '', test.title]);
    this.#selected = new Set(selected.map((one) => JSON.stringify(one)));
    const shared = process.env['ASSAY_SHARED'];
    if (shared !== undefined) writeSelectedTests(shared, selected);
    // Project and file come before the target in the path of a test.
    this.#order = [...new Set(tests.map((test) => test.titlePath()[3] ?? ''))];
    if (shard !== null) this.#shard = { index: shard.current, of: shard.total };
  }

  onTestEnd(_test: TestCase, result: TestResult): void {
    const attached = result.attachments.filter(({ name }) => name === RESULT || name === OBSERVATIONS);
    if (attached.some(({ body }) => body !== undefined)) this.#met++;
    // A test holds the result of a further requirement where that one blocks its own.
    for (const { body } of attached) if (body !== undefined) this.#take(body.toString('utf8'));
  }

  #take(text: string): void {
    const carried = JSON.parse(text) as Carried | Observed;
    if ('observations' in carried) this.#observed.set(carried.target.name, carried.observations);
    const known = this.#carried.get(carried.target.name);
    if (known === undefined) this.#carried.set(carried.target.name, [carried]);
    else known.push(carried);
  }

  /** Fails a run that Playwright would let pass although something could not be tested, as `assay run` does. */
  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] } | undefined> {
    // Where there are fewer targets than shards, one without tests is as it should be, and says so.
    const idle = this.#shard !== null && this.#expected === 0 && result.status === 'passed';
    if (this.#carried.size === 0 && !idle) return undefined;
    const results = this.#results(result.status !== 'interrupted' && this.#met === this.#expected);
    const folder = RunFolder.open({ out: process.env['ASSAY_OUT'] ?? null, runId: results.run.id });
    const evidence = this.#joinEvidence(folder.staging);
    const views = evidence === null ? new Map() : await this.#views(results, evidence);
    await writeReports({ results, catalogue, evidence: views, prove: null }, folder.staging, this.#formats);
    this.#takeBlob(folder.staging);
    await this.#seal(results, folder.staging);
    const place = await folder.commit();
    const of = this.#shard === null ? '' : ` (shard ${this.#shard.index}/${this.#shard.of})`;
    const told = idle ? 'there was no target left to test.' : `${stampOf(results)}. ${headline(results)}`;
    const line = printableLine(`Assay${of}: ${told} Report: ${path.join(place, 'report.html')}`);
    process.stdout.write(`\n${line}\n`);
    const undecided = !idle && !isTolerated(conclusionOf(results), process.env);
    return result.status === 'passed' && undecided ? { status: 'failed' } : undefined;
  }

  printsToStdio(): boolean {
    return false;
  }

  #results(complete: boolean): Results {
    const order = requirements.map(({ id }) => id);
    const all = [...this.#carried].sort(([one], [other]) => this.#placeOf(one) - this.#placeOf(other));
    const targets = all.map(([name, carried]) =>
      combineParts(
        carried[0].target,
        [...carried, ...this.#leftOut(name, carried[0])],
        this.#observed.get(name) ?? [],
        order,
      ),
    );
    const digest = all[0]?.[1][0].targets;
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
        command: environment['ASSAY_COMMAND'] ?? 'npx playwright test',
        ...(this.#shard === null
          ? {}
          : { shard: { ...this.#shard, ...(digest === undefined ? {} : { targets: digest }) } }),
      },
      outcome: outcomeOfAll(
        targets.map(({ outcome }) => outcome),
        complete && targets.length > 0,
      ),
      targets,
    };
  }

  /** Requirements whose tests the command line left out, as by `-g`. */
  #leftOut(target: string, { records, traffic }: Carried): readonly Part[] {
    const cause = { kind: 'unselected' } as const;
    return requirements.flatMap(({ id, clause, rule }) =>
      (id.startsWith('token/') ? [null] : Object.keys(records))
        .filter((resource) => !this.#selected.has(JSON.stringify([target, testTitle(id, resource)])))
        .map((resource) => ({
          records,
          traffic: { ...traffic, requests: 0 },
          result: {
            id,
            resource,
            clause,
            rule,
            verdict: 'skipped' as const,
            reason: reasonOf(cause, 'Playwright was told to run other tests'),
            cause,
            waiver: null,
            violations: [],
            cases: 0,
            requests: 0,
            durationMs: 0,
          },
        })),
    );
  }

  // Without a key that can be read the run is sealed all the same, and not signed.
  async #seal(results: Results, folder: string): Promise<void> {
    const pem = process.env['ASSAY_SIGNING_KEY'] ?? '';
    const key = attempt(() => (pem === '' ? null : signingKey(pem, 'ASSAY_SIGNING_KEY')));
    await sealRun(results, null, folder, key);
  }

  // Without readable evidence there are no charts and excerpts, but still a report.
  #views(results: Results, file: string): Promise<EvidenceViews> {
    return gatherEvidence(results, readEvidence(file, bodiesShown(results))).catch(() => new Map());
  }

  #placeOf(target: string): number {
    return this.#order.indexOf(target);
  }

  #takeBlob(folder: string): void {
    if (this.#blob === null || !existsSync(this.#blob)) return;
    copyFileSync(this.#blob, path.join(folder, BLOB));
    rmSync(this.#blob);
  }

  // Gzip files put one behind the other are one gzip file. Targets follow each other as in the results: each labels its
  // tokens anew, and a replay reads them in this order.
  #joinEvidence(folder: string): string | null {
    const shared = process.env['ASSAY_SHARED'];
    if (shared === undefined) return null;
    mkdirSync(folder, { recursive: true });
    const parts = readdirSync(shared, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.startsWith('evidence-'))
      .map(({ parentPath, name }) => ({
        place: this.#placeOf(Buffer.from(path.basename(parentPath), 'base64url').toString('utf8')),
        file: path.join(parentPath, name),
      }))
      .sort((one, other) => one.place - other.place || (one.file < other.file ? -1 : 1))
      .map(({ file }) => file);
    if (parts.length === 0) return null;
    const file = path.join(folder, 'evidence.ndjson.gz');
    writeFileSync(file, Buffer.concat(parts.map((part) => readFileSync(part))));
    return file;
  }
}

/** Whether a conclusion lets a run pass: as the exit status of `assay run`, with ASSAY_STRICT and ASSAY_ALLOW_INCONCLUSIVE. */
function isTolerated(conclusion: Conclusion, environment: NodeJS.ProcessEnv): boolean {
  if (conclusion === 'needs-data') return environment['ASSAY_STRICT'] !== '1';
  if (conclusion === 'inconclusive') return environment['ASSAY_ALLOW_INCONCLUSIVE'] === '1';
  return conclusion === 'passed';
}

function attempt<Result>(read: () => Result | null): Result | null {
  try {
    return read();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`assay: the run is not signed: ${printableLine(reason)}\n`);
    return null;
  }
}

export default Collector;
