import XmlBuilder from 'fast-xml-builder';
import { selectionOf } from '../../core/conclusion.ts';
import { groupBy } from '../../core/maps.ts';
import { chapterOf } from '../../core/requirement.ts';
import {
  isReferenceProvider,
  nameWithList,
  type RequirementResult,
  type Results,
  type TargetResult,
  type ViolationRecord,
} from '../../core/results.ts';
import { isKnownFailure, isWaived } from '../../core/verdict.ts';
import { countVerdicts } from '../findings.ts';
import type { ReportData } from '../report-data.ts';
import { REFERENCE_NOTICE, suiteWords } from '../wording/headline.ts';
import { comparedWords, INCOMPLETE, showCase, visible, visibleLines } from '../wording/phrases.ts';

type Attributes = Readonly<Record<string, string>>;
type Node = Readonly<Record<string, unknown>>;

/**
 * JUnit XML for CI systems: one suite per target and chapter, one case per requirement and resource.
 *
 * Inconclusive and skipped verdicts are skipped cases with their reason; a waived or known failure is a skipped case
 * with its waiver if it has one, and its proof is in system-out. Cases and suites run in parallel: the time of a suite is
 * that of its longest case, and the total time is that of the run.
 */
export function renderJunit({ results }: Pick<ReportData, 'results'>): string {
  const suites = results.targets.flatMap((target) => suitesOf(target, results));
  // Jenkins' schema allows `skipped` only on suites.
  const { skipped: _, ...sums } = totals(results.targets.flatMap(({ requirements }) => requirements));
  const time = seconds(Date.parse(results.run.finishedAt) - Date.parse(results.run.startedAt));
  const root = element('testsuites', { name: `assay: ${suiteWords(results)}`, ...sums, time }, suites);
  const builder = new XmlBuilder({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    format: true,
    suppressEmptyNode: true,
  });
  return `${builder.build([element('?xml', { version: '1.0', encoding: 'UTF-8' }, []), root]).trim()}\n`;
}

function suitesOf(target: TargetResult, results: Results): Node[] {
  const chapters = groupBy(target.requirements, ({ id }) => chapterOf(id) ?? 'other');
  const { selected, all } = selectionOf(results);
  // CI systems show the name of this element, not that of its parent.
  const partial = selected < all ? ` (${suiteWords(results)})` : '';
  return [...chapters].map(([chapter, requirements]) =>
    element(
      'testsuite',
      {
        name: visible(`${target.name}: ${chapter}`) + partial,
        ...totals(requirements),
        time: seconds(Math.max(0, ...requirements.map(({ durationMs }) => durationMs))),
        timestamp: visible(results.run.startedAt),
      },
      [
        element(
          'properties',
          {},
          Object.entries({
            baseUrl: target.baseUrl,
            suite: results.run.suite,
            seed: String(results.run.seed),
            complete: String(results.run.complete),
            selected: `${selected} of ${all} requirements`,
            ...(isReferenceProvider(target) ? { notice: REFERENCE_NOTICE } : {}),
          }).map(([name, value]) => element('property', { name, value: visible(value) }, [])),
        ),
        ...requirements.map((one) => caseOf(target, one)),
        ...(results.run.complete ? [] : [element('system-err', {}, [text(INCOMPLETE)])]),
      ],
    ),
  );
}

function caseOf(target: TargetResult, result: RequirementResult): Node {
  return element(
    'testcase',
    {
      name: visible(nameWithList(result)),
      classname: visible(`${target.name}.${chapterOf(result.id) ?? 'other'}`),
      time: seconds(result.durationMs),
    },
    outcomeOfCase(result),
  );
}

function outcomeOfCase(result: RequirementResult): Node[] {
  const reason = visible(result.reason ?? result.violations[0]?.message ?? result.verdict);
  const proof = [`Rule: ${visible(result.rule)}`, ...result.violations.map(proofOf)].join('\n\n');
  const { verdict, cause } = result;
  if (verdict === 'pass') return [];
  if (isWaived(result)) {
    const { reason: agreed, until } = result.waiver;
    return accepted(`waived until ${visible(until)}: ${visible(agreed)}`, proof);
  }
  if (isKnownFailure(result)) return accepted(`known failure: ${reason}`, proof);
  if (verdict === 'fail') return [element('failure', { message: reason, type: 'violation' }, [text(proof)])];
  if (verdict === 'error')
    return [element('error', { message: reason, type: cause?.kind ?? 'error' }, [text(proof)])];
  return [element('skipped', { message: `${verdict}: ${reason}` }, [])];
}

function accepted(message: string, proof: string): Node[] {
  return [element('skipped', { message }, []), element('system-out', {}, [text(proof)])];
}

function proofOf(violation: ViolationRecord): string {
  const { expected, actual } = comparedWords(violation);
  const lines = [visible(violation.message)];
  if (expected !== undefined) lines.push(`Expected: ${expected}`);
  if (actual !== undefined) lines.push(`Actual: ${actual}`);
  if (violation.counterexample !== null) lines.push(`Smallest case: ${showCase(violation.counterexample)}`);
  if (violation.exchanges.length > 0) lines.push(`Exchanges: ${violation.exchanges.join(', ')}`);
  return [...lines, visibleLines(violation.curl)].join('\n');
}

function totals(requirements: readonly RequirementResult[]) {
  const { fail, error, pass } = countVerdicts(requirements);
  const failures = fail - requirements.filter(isKnownFailure).length;
  return {
    tests: String(requirements.length),
    failures: String(failures),
    errors: String(error),
    skipped: String(requirements.length - failures - error - pass),
  };
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

function element(name: string, attributes: Attributes, children: readonly Node[]): Node {
  return { [name]: children, ':@': attributes };
}

function text(content: string): Node {
  return { '#text': content };
}
