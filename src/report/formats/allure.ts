import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type Label,
  type Link,
  Severity,
  Stage,
  Status,
  type StatusDetails,
  type StepResult,
  type TestResult,
} from 'allure-js-commons';
import type { ExecutorInfo } from 'allure-js-commons/sdk';
import { FileSystemWriter } from 'allure-js-commons/sdk/reporter';
import { selectionOf } from '../../core/conclusion.ts';
import type { Header } from '../../core/exchange.ts';
import { jsonText } from '../../core/json-text.ts';
import {
  nameWithList,
  type RequirementResult,
  type Results,
  type TargetResult,
  type ViolationRecord,
} from '../../core/results.ts';
import { sha256 } from '../../core/sha256.ts';
import { isKnownFailure, isWaived } from '../../core/verdict.ts';
import type { ExchangeView, ReportData } from '../report-data.ts';
import { stampOf } from '../wording/headline.ts';
import { clauseWords, comparedWords, excerpt, showCase, visible, visibleLines } from '../wording/phrases.ts';

const STATUS = {
  pass: Status.PASSED,
  fail: Status.FAILED,
  error: Status.BROKEN,
  inconclusive: Status.SKIPPED,
  skipped: Status.SKIPPED,
} as const;

/**
 * Writes Allure results: a test per requirement and resource, in epics by chapter, with clause, parameters, a
 * step and attachments per violation, environment, executor and categories. Tests have the same identity in
 * both hosts and in every run, so that Allure shows a history. Replaces the contents of the folder.
 */
export async function writeAllure(
  data: ReportData,
  folder: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const writer = new FileSystemWriter({ resultsDir: folder });
  for (const target of data.results.targets) {
    for (const one of target.requirements)
      writer.writeResult({ ...testOf(data, target, one, writer), links: clauseLinks(one.clause, env) });
  }
  writer.writeEnvironmentInfo(environmentOf(data.results));
  const executor = JSON.stringify(executorOf(data.results, env));
  await writeFile(path.join(folder, 'executor.json'), executor);
  writer.writeCategoriesDefinitions([
    { name: 'Broken requirements', matchedStatuses: [Status.FAILED] },
    { name: 'Could not be carried out', matchedStatuses: [Status.BROKEN] },
    { name: 'Waived', matchedStatuses: [Status.SKIPPED], messageRegex: 'waived until .*' },
    { name: 'Inconclusive', matchedStatuses: [Status.SKIPPED], messageRegex: 'inconclusive.*' },
    { name: 'Skipped', matchedStatuses: [Status.SKIPPED], messageRegex: 'skipped.*' },
  ]);
}

function testOf(
  data: ReportData,
  target: TargetResult,
  one: RequirementResult,
  writer: FileSystemWriter,
): TestResult {
  const { run } = data.results;
  const row = data.catalogue.requirements.find(({ id }) => id === one.id);
  const start = Date.parse(run.startedAt);
  const identity = sha256(JSON.stringify([target.name, one.resource, one.id])).slice(0, 32);
  return {
    uuid: randomUUID(),
    historyId: identity,
    testCaseId: identity,
    name: visible(nameWithList(one)),
    fullName: visible(`${target.name}: ${one.id} ${one.resource ?? ''}`.trim()),
    status: isWaived(one) || isKnownFailure(one) ? Status.SKIPPED : STATUS[one.verdict],
    statusDetails: one.verdict === 'pass' ? {} : { message: statusMessage(one), ...comparison(one) },
    stage: run.complete ? Stage.FINISHED : Stage.INTERRUPTED,
    description: [
      `**Rule**${one.clause.length === 0 ? '' : ` (${clauseWords(one.clause)})`}: ${escaped(one.rule)}`,
      ...(row === undefined
        ? []
        : [`**Tested**: ${escaped(row.tested)}`, `**Usual causes**: ${escaped(row.causes)}`]),
    ].join('\n\n'),
    start,
    stop: start + Math.round(one.durationMs),
    parameters: [
      { name: 'target', value: visible(target.name) },
      ...(one.resource === null ? [] : [{ name: 'resource', value: visible(one.resource) }]),
      { name: 'seed', value: String(run.seed), excluded: true },
      { name: 'cases', value: String(one.cases), excluded: true },
    ],
    labels: labelsOf(target, one),
    links: [],
    attachments: [],
    steps: one.violations.map((violation) =>
      stepOf(violation, data.evidence.get(target.name) ?? [], writer, start),
    ),
  };
}

function labelsOf(target: TargetResult, one: RequirementResult): Label[] {
  return [
    ...groupLabels(one),
    { name: 'parentSuite', value: visible(target.name) },
    { name: 'framework', value: 'assay' },
    { name: 'language', value: 'typescript' },
    ...one.clause.map((clause) => ({ name: 'tag', value: `clause ${visible(clause)}` })),
    ...(one.cause === null ? [] : [{ name: 'tag', value: `cause ${one.cause.kind}` }]),
  ];
}

function statusMessage(one: RequirementResult): string {
  const reason = visible(one.reason ?? '');
  if (isWaived(one))
    return `waived until ${visible(one.waiver.until)}: ${visible(one.waiver.reason)}. ${reason}`;
  if (isKnownFailure(one)) return `known failure: ${reason}`;
  if (one.verdict === 'fail' || one.verdict === 'error') return reason;
  return `${one.verdict}: ${reason}`;
}

function comparison({ violations }: RequirementResult): StatusDetails {
  const [first] = violations;
  if (first === undefined) return {};
  return {
    ...comparedWords(first, 2000),
    trace: violations.map(({ message, curl }) => `${visible(message)}\n${visible(curl)}`).join('\n\n'),
  };
}

function stepOf(
  violation: ViolationRecord,
  views: readonly ExchangeView[],
  writer: FileSystemWriter,
  start: number,
): StepResult {
  const attach = (name: string, type: string, extension: string, content: string) => {
    const source = `${randomUUID()}-attachment.${extension}`;
    writer.writeAttachment(source, Buffer.from(content));
    return { name, type, source };
  };
  const exchanges = violation.exchanges.slice(0, 4).flatMap((number) => {
    const view = views.find((one) => one.number === number);
    return view === undefined ? [] : [attach(`exchange ${number}`, 'text/plain', 'txt', answerLines(view))];
  });
  return {
    name: visible(violation.message),
    status: Status.FAILED,
    statusDetails: {},
    stage: Stage.FINISHED,
    start,
    stop: start,
    parameters:
      violation.counterexample === null
        ? []
        : [{ name: 'smallest case', value: showCase(violation.counterexample) }],
    attachments: [
      ...(violation.curl === ''
        ? []
        : [attach('curl', 'text/plain', 'sh', `${visibleLines(violation.curl)}\n`)]),
      attach('violation', 'application/json', 'json', jsonText(violation)),
      ...exchanges,
    ],
    steps: [],
  };
}

function environmentOf(results: Results): Record<string, string> {
  const { selected, all } = selectionOf(results);
  const { tool, run, targets } = results;
  return {
    Assay: tool.version,
    Node: tool.node,
    Suite: run.suite,
    Seed: String(run.seed),
    Outcome: stampOf(results),
    Selected: `${selected} of ${all} requirements`,
    ...Object.fromEntries(
      targets.map(({ name, baseUrl }, index) => [
        targets.length === 1 ? 'Target' : `Target ${index + 1}`,
        visible(`${name} ${baseUrl}`),
      ]),
    ),
  };
}

// Escapes Markdown, so that text of a provider cannot be a link or markup.
function escaped(text: string): string {
  return visible(text).replace(/[\\`*_{}[\]<>#|]/gu, '\\$&');
}

/** An exchange as plain text: both heads, the request body, and an excerpt of the answer body. */
function answerLines(view: ExchangeView): string {
  const { request, answer, failure } = view;
  const lines = (headers: readonly Header[]): readonly string[] =>
    headers.map(([name, value]) => `${visible(name)}: ${excerpt(value, 2000)}`);
  return `${[
    `${visible(request.method)} ${visible(request.target)}`,
    ...lines(request.headers),
    ...(request.body === null ? [] : ['', excerpt(request.body, 4000)]),
    '',
    ...(answer === null
      ? [`no answer: ${visible(failure?.message ?? '')}`]
      : [
          `HTTP/${visible(answer.httpVersion)} ${answer.status} ${visible(answer.statusText)}`,
          ...lines(answer.headers),
          '',
          ...(view.body?.lines.map((line) => `${line.marks.length > 0 ? '>' : ' '} ${line.text}`) ?? []),
        ]),
  ].join('\n')}\n`;
}

/** The CI system that ran Assay, from its environment variables; Assay itself outside of CI. */
function executorOf(results: Results, env: NodeJS.ProcessEnv): ExecutorInfo {
  const { run } = results;
  const common = { reportName: `Assay: ${stampOf(results)}` };
  if (env['GITHUB_ACTIONS'] === 'true') {
    const repository = `${env['GITHUB_SERVER_URL'] ?? ''}/${env['GITHUB_REPOSITORY'] ?? ''}`;
    return {
      ...common,
      name: 'GitHub Actions',
      type: 'github',
      ...order(env['GITHUB_RUN_NUMBER']),
      buildName: `${env['GITHUB_WORKFLOW'] ?? 'workflow'} #${env['GITHUB_RUN_NUMBER'] ?? ''}`,
      buildUrl: `${repository}/actions/runs/${env['GITHUB_RUN_ID'] ?? ''}`,
    };
  }
  if (env['GITLAB_CI'] === 'true') {
    return {
      ...common,
      name: 'GitLab CI',
      type: 'gitlab',
      ...order(env['CI_PIPELINE_IID']),
      buildName: `${env['CI_JOB_NAME'] ?? 'job'} #${env['CI_PIPELINE_IID'] ?? ''}`,
      buildUrl: env['CI_JOB_URL'] ?? '',
    };
  }
  if (env['JENKINS_URL'] !== undefined) {
    return {
      ...common,
      name: 'Jenkins',
      type: 'jenkins',
      ...order(env['BUILD_NUMBER']),
      buildName: env['BUILD_TAG'] ?? env['JOB_NAME'] ?? 'build',
      buildUrl: env['BUILD_URL'] ?? '',
    };
  }
  return { ...common, name: 'Assay', type: 'assay', buildName: visible(run.id) };
}

function order(text: string | undefined): { readonly buildOrder?: number } {
  return /^\d{1,9}$/u.test(text ?? '') ? { buildOrder: Number(text) } : {};
}

/** Chapters whose violation is a security risk or blocks all clients. */
const SEVERE: Readonly<Record<string, Severity>> = {
  authorization: Severity.BLOCKER,
  token: Severity.CRITICAL,
  list: Severity.CRITICAL,
  traversal: Severity.CRITICAL,
};

/** Labels by which Allure groups a requirement; equal for `--format allure` and allure-playwright. */
export function groupLabels({ id, rule }: Pick<RequirementResult, 'id' | 'rule'>): Label[] {
  const chapter = id.split('/')[0] ?? 'other';
  return [
    { name: 'epic', value: visible(chapter) },
    { name: 'feature', value: visible(id) },
    { name: 'story', value: visible(rule) },
    { name: 'severity', value: SEVERE[chapter] ?? Severity.NORMAL },
    { name: 'suite', value: visible(chapter) },
  ];
}

/** The specification has no public URL: `ASSAY_CLAUSE_URL` gives it, with `{clause}` for the clause. */
export function clauseLinks(clauses: readonly string[], env: NodeJS.ProcessEnv): Link[] {
  const template = env['ASSAY_CLAUSE_URL'];
  if (template === undefined || !URL.canParse(template.replaceAll('{clause}', '1'))) return [];
  return clauses.map((clause) => ({
    type: 'clause',
    name: `clause ${visible(clause)}`,
    url: template.replaceAll('{clause}', encodeURIComponent(clause)),
  }));
}
