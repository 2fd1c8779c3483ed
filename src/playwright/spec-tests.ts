import { test as base, type TestDetails, type TestInfo } from '@playwright/test';
import type { Location } from '@playwright/test/reporter';
import { suite } from '../../specs/suite.ts';
import { causeLabel } from '../core/cause-sentences.ts';
import { jsonText } from '../core/json-text.ts';
import type { RequirementResult } from '../core/results.ts';
import { printableLine } from '../core/visible-text.ts';
import type { Check } from '../judge/check.ts';
import { clauseLinks, groupLabels } from '../report/formats/allure.ts';
import { failureOf, isFailure, violationError } from './breach-error.ts';
import type { Answer, JudgedRequirement } from './hosted-target.ts';
import { askRunner } from './judging-server.ts';
import { isAllureInUse, listsOf, readPlan, sourceLocation, testTitle } from './run-plan.ts';

export const test = base;

type TestArguments = [title: string, details: TestDetails, body: () => Promise<void>];

// Awaited here, so that spec files are evaluated one after the other.
const { targets, customChecks } = await readPlan(process.env);

/** The lists of all targets. A spec file declares a test for each; a target's project leaves out those of others. */
export function allLists(): readonly string[] {
  return [...new Set(targets.flatMap(listsOf))];
}

/** The custom checks of all targets, each with its lists (null if it has none). */
export function allCustomChecks(): readonly { readonly check: Check; readonly list: string | null }[] {
  const found = new Map<string, { check: Check; list: string | null }>();
  for (const target of targets)
    for (const check of customChecks.get(target.name) ?? [])
      for (const list of check.scope === 'target' ? [null] : listsOf(target))
        found.set(testTitle(check.requirement.id, list), { check, list });
  return [...found.values()];
}

/**
 * The test of a requirement, to be passed to `test`: Playwright shows the line of that call as the location of the test.
 *
 * @param list name of the list; left out for a requirement that is judged once for each target
 */
export function judging(requirement: Check | string, list: string | null = null): TestArguments {
  const check = typeof requirement === 'string' ? checkOf(requirement) : requirement;
  const { id, clause, rule, smoke } = check.requirement;
  const labels = isAllureInUse() ? groupLabels({ id, rule }) : [];
  return [
    testTitle(id, list),
    {
      tag: smoke ? ['@smoke'] : [],
      annotation: [
        ...(clause.length === 0 ? [] : [{ type: 'clause', description: clause.join(', ') }]),
        ...labels.map(({ name, value }) => ({ type: `allure.label.${name}`, description: value })),
      ],
    },
    () => judgeInTest(check, list, base.info()),
  ];
}

/** The test of what the specification leaves open, to be passed to `test`; it fails only by a token that expired early. */
export function observing(): TestArguments {
  return ['observations', {}, () => observeInTest(base.info())];
}

function checkOf(id: string): Check {
  const check = suite.find(({ requirement }) => requirement.id === id);
  if (check === undefined) throw new Error(`there is no requirement ${id}`);
  return check;
}

/**
 * Judges one check inside its test, with steps, annotations, attachments, and the verdict as Playwright shows it. A
 * requirement that blocks it and that the run leaves out is judged in the same test.
 */
async function judgeInTest(check: Check, list: string | null, info: TestInfo): Promise<void> {
  const { id } = check.requirement;
  const problems: unknown[] = [];
  const showIn = async (step: Check, work: () => Promise<JudgedRequirement | undefined>): Promise<void> => {
    const place = placeOf(step, info);
    await base
      .step(
        step.requirement.rule,
        async () => {
          const judged = await work();
          if (judged !== undefined) await show(judged, info, place);
        },
        place,
      )
      .catch((error: unknown) => problems.push(error));
  };
  let answer: Answer = { judged: [], observations: [] };
  await showIn(check, async () => {
    answer = await askRunner({ target: info.project.name, requirement: id, list });
    return answer.judged[0];
  });
  const [first, ...blockers] = answer.judged;
  for (const blocker of blockers) await showIn(checkOf(blocker.result.id), async () => blocker);
  await linkClauses(check, info);
  if (problems.length > 0) throw problems[0];
  if (first !== undefined) skipUndecided(first.result);
}

async function observeInTest(info: TestInfo): Promise<void> {
  const { judged, observations } = await askRunner({
    target: info.project.name,
    requirement: null,
    list: null,
  });
  for (const { id, value, attention } of observations)
    info.annotations.push({ type: attention ? `${id} (attention)` : id, description: printableLine(value) });
  await attach(info, 'observations.json', observations);
  for (const one of judged) {
    const place = placeOf(checkOf(one.result.id), info);
    await base.step(one.result.rule, () => show(one, info, place), place);
    skipUndecided(one.result);
  }
}

/** Where Playwright shows a step: in the source of its check, or if that is not installed in the spec file. */
interface Place {
  readonly location: Location;
}

function placeOf(check: Check, { file, line, column }: TestInfo): Place {
  return { location: sourceLocation(check) ?? { file, line, column } };
}

/** Shows a result in the current step, which fails as the requirement does. */
async function show({ result, exchanges }: JudgedRequirement, info: TestInfo, place: Place): Promise<void> {
  info.annotations.push({ type: 'verdict', description: result.verdict });
  if (result.cause !== null)
    info.annotations.push({ type: 'cause', description: printableLine(causeLabel(result.cause)) });
  if (result.reason !== null)
    info.annotations.push({ type: 'reason', description: printableLine(result.reason) });
  await attach(info, 'result.json', result);
  const isRed = isFailure(result);
  for (const [index, violation] of result.violations.entries()) {
    const showAll = async (): Promise<void> => {
      await attach(info, `violation-${index + 1}.json`, violation);
      if (violation.counterexample !== null)
        await attach(info, `counterexample-${index + 1}.json`, violation.counterexample);
      await attach(info, `exchanges-${index + 1}.json`, exchanges[index] ?? []);
      await info.attach(`curl-${index + 1}.sh`, { body: violation.curl, contentType: 'application/x-sh' });
      if (isRed) throw violationError(violation);
    };
    const step = base.step(printableLine(violation.message), showAll, place);
    // The other violations are shown as well; the test fails with all of them.
    await step.catch(() => undefined);
  }
  if (isRed) throw failureOf(result);
}

/** Skips a test without a verdict, or with a waived failure: a passed test would claim that everything was tested. */
function skipUndecided({ verdict, reason, waiver }: RequirementResult): void {
  if (verdict === 'skipped' || verdict === 'inconclusive')
    base.skip(true, printableLine(`${verdict}: ${reason}`));
  if (verdict === 'fail' && waiver !== null)
    base.skip(true, printableLine(`waived until ${waiver.until}: ${waiver.reason}. ${reason}`));
}

async function attach(info: TestInfo, name: string, value: unknown): Promise<void> {
  await info.attach(name, { body: jsonText(value), contentType: 'application/json' });
}

/** Links to the clauses in allure-playwright's results, if ASSAY_CLAUSE_URL says where they are. */
async function linkClauses({ requirement }: Check, info: TestInfo): Promise<void> {
  const links = isAllureInUse() ? clauseLinks(requirement.clause, process.env) : [];
  if (links.length === 0) return;
  await info.attach('Allure links', {
    contentType: 'application/vnd.allure.message+json',
    body: JSON.stringify({ type: 'metadata', data: { links } }),
  });
}
