import type { Invocation, Log, ReportingDescriptor, Result } from 'sarif';
import { selectionOf, selectionWords } from '../../core/conclusion.ts';
import { jsonText } from '../../core/json-text.ts';
import type { Requirement } from '../../core/requirement.ts';
import type { RequirementResult, Results, TargetResult, ViolationRecord } from '../../core/results.ts';
import { sha256 } from '../../core/sha256.ts';
import { isWaived } from '../../core/verdict.ts';
import { countVerdicts } from '../findings.ts';
import type { ReportData } from '../report-data.ts';
import { headline, suiteWords } from '../wording/headline.ts';
import { comparedWords, excerpt, showCase, visible, visibleLines } from '../wording/phrases.ts';

/**
 * SARIF 2.1.0 for code scanning: a rule per requirement and a result per violation. Code hosts show every
 * result as an alert, so other verdicts and their causes are in the properties of the run.
 */
export function renderSarif({ results, catalogue }: Pick<ReportData, 'results' | 'catalogue'>): string {
  const known = new Map<string, Requirement>(catalogue.requirements.map((row) => [row.id, row]));
  const used = new Map<string, RequirementResult>();
  for (const target of results.targets) for (const one of target.requirements) used.set(one.id, one);
  const rules = [...used.values()].map((one) => ruleOf(one, known.get(one.id)));
  const indexes = new Map([...used.keys()].map((id, index) => [id, index]));
  const hasBaseline = results.run.baseline !== undefined;
  const log: Log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Assay', semanticVersion: results.tool.version, rules } },
        automationDetails: {
          id: `assay/${results.run.suite}/${results.run.id}`,
          description: { text: `Assay, ${suiteWords(results)}` },
        },
        invocations: [invocationOf(results)],
        columnKind: 'utf16CodeUnits',
        results: results.targets.flatMap((target) =>
          target.requirements.flatMap((one) =>
            resultsOf(target, one, { ruleIndex: indexes.get(one.id) ?? -1, hasBaseline }),
          ),
        ),
        properties: {
          outcome: results.outcome,
          conclusion: headline(results),
          selected: selectionOf(results),
          open: openVerdicts(results),
          seed: results.run.seed,
          suite: results.run.suite,
          verdicts: countVerdicts(results.targets.flatMap((target) => target.requirements)),
        },
      },
    ],
  };
  return `${jsonText(log)}\n`;
}

/** Every open verdict with its cause, except for requirements that were not selected. */
function openVerdicts(results: Results): readonly object[] {
  return results.targets.flatMap((target) =>
    target.requirements
      .filter(
        ({ verdict, cause }) => verdict !== 'pass' && verdict !== 'fail' && cause?.kind !== 'unselected',
      )
      .map(({ id, resource, verdict, cause }) => ({
        target: visible(target.name),
        requirement: visible(id),
        resource: resource === null ? null : visible(resource),
        verdict,
        cause,
      })),
  );
}

function ruleOf(one: RequirementResult, row: Requirement | undefined): ReportingDescriptor {
  const help =
    row === undefined
      ? visible(one.rule)
      : `${row.rule}\n\nTested: ${row.tested}\n\nUsual causes: ${row.causes}`;
  return {
    id: visible(one.id),
    shortDescription: { text: excerpt(one.rule, 300) },
    fullDescription: { text: visible(one.rule) },
    help: { text: help },
    defaultConfiguration: { level: 'error' },
    properties: { tags: ['conformance'], clause: one.clause },
  };
}

function invocationOf(results: Results): Invocation {
  const errors = results.targets.flatMap((target) =>
    target.requirements
      .filter(({ verdict }) => verdict === 'error')
      .map(({ id, reason }) => ({
        level: 'error' as const,
        message: { text: `${visible(target.name)}, ${visible(id)}: ${visible(reason ?? '')}` },
      })),
  );
  const selection = selectionWords(results);
  const partial = selection === null ? [] : [{ level: 'note' as const, message: { text: selection } }];
  return {
    executionSuccessful: results.run.complete && errors.length === 0,
    commandLine: visible(results.run.command),
    startTimeUtc: visible(results.run.startedAt),
    endTimeUtc: visible(results.run.finishedAt),
    toolExecutionNotifications: [...partial, ...errors],
  };
}

function resultsOf(
  target: TargetResult,
  one: RequirementResult,
  { ruleIndex, hasBaseline }: { readonly ruleIndex: number; readonly hasBaseline: boolean },
): readonly Result[] {
  if (one.verdict !== 'fail') return [];
  return one.violations.map((violation, index): Result => {
    const justification = isWaived(one) ? visible(one.waiver.reason) : null;
    return {
      ruleId: visible(one.id),
      ruleIndex,
      locations: [locationOf(target, one)],
      kind: 'fail',
      level: justification === null ? 'error' : 'note',
      message: { text: proofOf(violation) },
      ...(hasBaseline ? { baselineState: violation.known ? 'unchanged' : 'new' } : {}),
      partialFingerprints: {
        'assayBreach/v1': sha256(JSON.stringify([target.name, one.resource, one.id, index])),
      },
      ...(justification === null
        ? {}
        : { suppressions: [{ kind: 'external', status: 'accepted', justification }] }),
      properties: { ...comparedWords(violation, 2000), curl: visibleLines(violation.curl) },
    };
  });
}

function proofOf(violation: ViolationRecord): string {
  const { expected, actual } = comparedWords(violation);
  const lines = [visible(violation.message)];
  if (expected !== undefined) lines.push(`Expected ${expected}, got ${actual}.`);
  else if (actual !== undefined) lines.push(`Got ${actual}.`);
  if (violation.counterexample !== null) lines.push(`Smallest case: ${showCase(violation.counterexample)}.`);
  return lines.join('\n');
}

function locationOf(target: TargetResult, one: RequirementResult): NonNullable<Result['locations']>[number] {
  const name = one.resource === null ? 'token' : visible(one.resource);
  const place = `${visible(target.name)}/${name}`;
  // Code hosts require a file and a line for every result; results.json replaces a missing target file.
  const file = target.file ?? 'results.json';
  const uri = visible(file).split('/').map(encodeURIComponent).join('/');
  return {
    physicalLocation: { artifactLocation: { uri }, region: { startLine: 1 } },
    logicalLocations: [{ name, fullyQualifiedName: place, kind: 'resource' }],
  };
}
