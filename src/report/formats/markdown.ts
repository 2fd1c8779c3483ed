import { withCommas } from '../../core/number-format.ts';
import type { Results } from '../../core/results.ts';
import { isKnownFailure, isOpenFailure, isWaived } from '../../core/verdict.ts';
import { type Finding, findingsOf, findingsWith, groupByCause, verdictCounts } from '../findings.ts';
import type { ReportData } from '../report-data.ts';
import { headline, shownOutcome, stampOf } from '../wording/headline.ts';
import {
  clauseWords,
  comparedWords,
  INCOMPLETE,
  markdownText,
  plural,
  recordWords,
  showCase,
  visible,
  visibleLines,
} from '../wording/phrases.ts';

const FAILURES_SHOWN = 20;

/** A short summary in Markdown, for pull requests and job summaries. */
export function renderMarkdown({ results }: Pick<ReportData, 'results'>): string {
  const blocks = [
    `## Assay: ${stampOf(results)}`,
    headline(results),
    results.run.complete ? null : `**${INCOMPLETE}**`,
    targetTable(results),
    failureBlocks(findingsOf(results, (one) => isOpenFailure(one) && !isKnownFailure(one))),
    reasonBlock('Could not be carried out', findingsWith(results, 'error')),
    reasonBlock('Inconclusive', findingsWith(results, 'inconclusive')),
    waivedBlock(findingsOf(results, isWaived)),
    knownBlock(findingsOf(results, isKnownFailure)),
    `Suite ${results.run.suite}, seed ${results.run.seed}, started ${markdownText(results.run.startedAt)}, ` +
      `Assay ${markdownText(results.tool.version)}`,
  ];
  return `${blocks.filter((block) => block !== null).join('\n\n')}\n`;
}

function targetTable(results: Results): string {
  const rows = results.targets.map((target) => {
    const requests = withCommas(target.traffic.requests);
    const outcome = shownOutcome(target, results.run.suite).words;
    return `| ${markdownText(target.name)} | ${outcome} | ${verdictCounts(target.requirements)} | ${markdownText(recordWords(target))} | ${requests} |`;
  });
  return ['| target | outcome | requirements | records | requests |', '|---|---|---|---|---:|', ...rows].join(
    '\n',
  );
}

function failureBlocks(findings: readonly Finding[]): string | null {
  if (findings.length === 0) return null;
  const blocks = findings.slice(0, FAILURES_SHOWN).map(({ result, label }) => {
    const [violation] = result.violations;
    const clause = result.clause.length === 0 ? '' : ` (${clauseWords(result.clause)})`;
    const lines = [`#### ${markdownText(label)}${clause}`, ''];
    lines.push(markdownText(violation?.message ?? result.reason ?? 'no evidence was recorded'), '');
    lines.push(`- rule: ${markdownText(result.rule)}`);
    if (violation !== undefined) {
      for (const [name, words] of Object.entries(comparedWords(violation)))
        lines.push(`- ${name}: ${code(words)}`);
      if (violation.counterexample !== null)
        lines.push(`- smallest case: ${code(showCase(violation.counterexample))}`);
      if (violation.curl !== '') lines.push('', fenced(visibleLines(violation.curl)));
    }
    return lines.join('\n');
  });
  const more = findings.length - blocks.length;
  if (more > 0) blocks.push(`and ${plural(more, 'further failure')}; the report has them all`);
  return [`### Failed (${findings.length})`, ...blocks].join('\n\n');
}

function reasonBlock(title: string, findings: readonly Finding[]): string | null {
  if (findings.length === 0) return null;
  const lines = groupByCause(findings).map(
    (group) =>
      `- ${markdownText(group.sentence)}: ${group.findings.map((one) => code(one.label)).join(', ')}`,
  );
  return [`### ${title} (${findings.length})`, '', ...lines].join('\n');
}

function waivedBlock(findings: readonly Finding[]): string | null {
  if (findings.length === 0) return null;
  const lines = findings.map(
    ({ label, result }) =>
      `- ${code(label)}: ${markdownText(result.waiver?.reason ?? '')} (until ${markdownText(result.waiver?.until ?? '')})`,
  );
  return [`### Waived failures (${findings.length})`, '', ...lines].join('\n');
}

function knownBlock(findings: readonly Finding[]): string | null {
  if (findings.length === 0) return null;
  const lines = findings.map(({ label, result }) => `- ${code(label)}: ${markdownText(result.reason ?? '')}`);
  return [`### Known failures (${findings.length})`, '', ...lines].join('\n');
}

// A code span whose fence is longer than any run of backticks in the text.
function code(text: string): string {
  const shown = visible(text);
  const fence = '`'.repeat(longestRun(shown) + 1);
  const pad = shown.startsWith('`') || shown.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}sh\n${text}\n${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
}
