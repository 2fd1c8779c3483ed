import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { test as base, type TestInfo } from '@playwright/test';
import { suite } from '../../specs/suite.ts';
import { causeLabel } from '../core/cause-sentences.ts';
import { jsonText } from '../core/json-text.ts';
import type { RequirementResult, TargetResult } from '../core/results.ts';
import { readSelectedTests, testTitle } from '../core/selected-tests.ts';
import { printableLine } from '../core/workflow-commands.ts';
import { credentialsIn } from '../evidence/credentials.ts';
import { Redactor } from '../evidence/redactor.ts';
import { EvidenceWriter } from '../evidence/writer.ts';
import type { Check } from '../judge/check.ts';
import { judge } from '../judge/judge.ts';
import { tokenGivenBy } from '../provider/token-answer.ts';
import { settingOf, TOKENS_PER_PROCESS } from '../run/evidence-setting.ts';
import { mayObserve, observeAll } from '../run/observations.ts';
import { ACCEPTED_UNTIL_EXPIRY, skippedResult, whyUnselected } from '../run/schedule.ts';
import { Session } from '../run/session.ts';
import type { Target } from '../target/target.ts';
import type { Plan } from './run-plan.ts';
import { SharedFolder } from './shared-folder.ts';
import { pseudonymKey, TokenStore } from './token-store.ts';

/** Name of the attachment that carries a requirement's result to the collector. */
export const RESULT_ATTACHMENT = 'assay-result.json';

/** Name of the attachment that carries a target's observations to the collector. */
export const OBSERVATIONS_ATTACHMENT = 'assay-observations.json';

/** The session of each target in this worker. */
interface Sessions {
  of(target: Target, plan: Plan): Session;
}

/** Playwright's `test` with the sessions of the worker. */
export const test = base.extend<object, { sessions: Sessions }>({
  sessions: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures a function needs from this pattern.
    async ({}, use) => {
      const open = new Map<string, { readonly session: Session; readonly evidence: EvidenceWriter }>();
      await use({
        of: (target, plan) => {
          const known = open.get(target.name);
          if (known !== undefined) return known.session;
          const opened = openSession(target, plan);
          open.set(target.name, opened);
          return opened.session;
        },
      });
      for (const { session, evidence } of open.values()) {
        await session.close();
        await evidence.close();
      }
    },
    { scope: 'worker' },
  ],
});

/** The parts that the tests of a target share. */
interface Testing {
  readonly target: Target;
  readonly plan: Plan;
  readonly session: Session;
  readonly info: TestInfo;
}

/**
 * Judges one check inside its test, with steps, annotations, attachments, and the verdict as Playwright shows
 * it. If a requirement that the run leaves out blocks it, that one is judged in the same test.
 */
export async function judgeInTest(
  check: Check,
  target: Target,
  resource: number,
  plan: Plan,
  sessions: Sessions,
  info: TestInfo,
): Promise<void> {
  const testing: Testing = { target, plan, session: sessions.of(target, plan), info };
  const unselected = whyUnselected(check, plan);
  const first = await judgeOne(testing, check, resource, unselected);
  const results = [first];
  for (let last = first; last.cause?.kind === 'blocked'; ) {
    const { by } = last.cause;
    const blocking = suite.find(({ requirement }) => requirement.id === by);
    if (blocking === undefined || results.some(({ id }) => id === by)) break;
    if (!isLeftOut(testing, blocking, resource) || !claim(testing, blocking, resource)) break;
    last = await judgeOne(testing, blocking, resource, null);
    results.push(last);
  }
  conclude(results.find(({ verdict }) => verdict === 'fail') ?? first);
}

/** Whether the suite, the options or the selected tests leave out a check; not `skip`. */
function isLeftOut({ target, plan }: Testing, check: Check, resource: number): boolean {
  const { id } = check.requirement;
  if (plan.skip.includes(id)) return false;
  if (whyUnselected(check, plan) !== null) return true;
  const list = check.scope === 'target' ? null : (target.resources[resource]?.name ?? null);
  const selected = readSelectedTests(sharedRoot());
  return selected?.some(([name, title]) => name === target.name && title === testTitle(id, list)) === false;
}

/** The parts of results that identify a target. */
function identityOf({
  name,
  authUrl,
  baseUrl,
  product,
}: Target): Pick<TargetResult, 'name' | 'authUrl' | 'baseUrl' | 'product'> {
  return { name, authUrl, baseUrl, ...(product === null ? {} : { product }) };
}

/** Whether this test is the first to judge a requirement that the run leaves out, so that one breach fails one test. */
function claim({ target }: Testing, { requirement, scope }: Check, resource: number): boolean {
  const list = scope === 'target' ? null : resource;
  const name = Buffer.from(JSON.stringify([target.name, requirement.id, list])).toString('base64url');
  try {
    closeSync(openSync(path.join(sharedRoot(), `judged-${name}`), 'wx'));
    return true;
  } catch {
    return false;
  }
}

async function judgeOne(
  { target, plan, session, info }: Testing,
  check: Check,
  resource: number,
  unselected: string | null,
): Promise<RequirementResult> {
  const bench = (check.requirement.id.startsWith('x/') ? session.customBenches : session.benches)[resource];
  if (bench === undefined) throw new Error('a target has at least one resource');
  const result = await test.step(check.requirement.rule, () =>
    unselected === null
      ? judge(check, bench)
      : Promise.resolve(skippedResult(check, bench.list.resource.name, unselected)),
  );
  info.annotations.push({ type: 'verdict', description: result.verdict });
  if (result.cause !== null)
    info.annotations.push({ type: 'cause', description: printableLine(causeLabel(result.cause)) });
  if (result.reason !== null)
    info.annotations.push({ type: 'reason', description: printableLine(result.reason) });
  await attach(info, RESULT_ATTACHMENT, {
    target: identityOf(target),
    targets: plan.digest,
    result,
    records: await session.records(),
    traffic: session.traffic(),
  });
  for (const [index, violation] of result.violations.entries()) {
    await test.step(printableLine(violation.message), async () => {
      await attach(info, `violation-${index + 1}.json`, violation);
      if (violation.counterexample !== null)
        await attach(info, `counterexample-${index + 1}.json`, violation.counterexample);
      const exchanges = violation.exchanges
        .map((number) => bench.exchange(number))
        .filter((exchange) => exchange !== null);
      await info.attach(`exchanges-${index + 1}.json`, {
        body: session.redact(jsonText(exchanges)),
        contentType: 'application/json',
      });
      await info.attach(`curl-${index + 1}.sh`, { body: violation.curl, contentType: 'text/plain' });
    });
  }
  return result;
}

/** Makes the observations of a target after its checks; they never fail. */
export async function observeInTest(
  target: Target,
  plan: Plan,
  sessions: Sessions,
  info: TestInfo,
): Promise<void> {
  const session = sessions.of(target, plan);
  const early = await judgeEarlyExpiry({ target, plan, session, info });
  const observations = await observeAll(session, mayObserve(plan));
  for (const { id, value, attention } of observations) {
    info.annotations.push({ type: attention ? `${id} (attention)` : id, description: printableLine(value) });
  }
  await attach(info, OBSERVATIONS_ATTACHMENT, {
    target: identityOf(target),
    targets: plan.digest,
    result: null,
    observations,
    records: await session.records(),
    traffic: session.traffic(),
  });
  if (early !== null) conclude(early);
}

/**
 * Judges token/accepted-until-expiry again if a token was refused early after its own test; null if none was.
 */
async function judgeEarlyExpiry(testing: Testing): Promise<RequirementResult | null> {
  const { plan, session } = testing;
  const check = suite.find(({ requirement }) => requirement.id === ACCEPTED_UNTIL_EXPIRY);
  const met = session.benches.some(({ tokens }) => tokens.endings.length > 0);
  if (check === undefined || !met || plan.expiry || plan.skip.includes(ACCEPTED_UNTIL_EXPIRY)) return null;
  return judgeOne(testing, check, 0, null);
}

async function attach(info: TestInfo, name: string, value: unknown): Promise<void> {
  await info.attach(name, { body: jsonText(value), contentType: 'application/json' });
}

function conclude(result: RequirementResult): void {
  switch (result.verdict) {
    case 'pass':
      return;
    case 'skipped':
    case 'inconclusive':
      test.skip(true, printableLine(`${result.verdict}: ${result.reason}`));
      return;
    case 'error':
      throw errorWithoutStack('error', printableLine(result.reason ?? 'the check could not be carried out'));
    case 'fail':
      if (result.waiver?.active === true)
        test.skip(
          true,
          printableLine(`waived until ${result.waiver.until}: ${result.waiver.reason}. ${result.reason}`),
        );
      throw errorWithoutStack(
        'fail',
        result.violations
          .map(({ message, curl }) => `${printableLine(message)}\n  ${printableLine(curl)}`)
          .join('\n'),
      );
  }
}

// A stack trace into Assay does not help to find a fault of the provider.
function errorWithoutStack(verdict: string, message: string): Error {
  const error = new Error(message);
  error.name = verdict;
  error.stack = `${verdict}: ${message}`;
  return error;
}

/** The folder that the processes of a run share. */
function sharedRoot(): string {
  const root = process.env['ASSAY_SHARED'];
  if (root === undefined) throw new Error('the global setup of Assay has not run');
  return root;
}

function openSession(
  target: Target,
  plan: Plan,
): { readonly session: Session; readonly evidence: EvidenceWriter } {
  const root = sharedRoot();
  const tokensBefore = plan.targets.indexOf(target) * TOKENS_PER_PROCESS;
  const redactor = new Redactor(tokensBefore);
  const shared = new SharedFolder(root, target.name, (text) => redactor.redact(text));
  const evidence = new EvidenceWriter(shared.evidenceFile(), redactor);
  const store = new TokenStore(path.join(shared.folder, 'tokens'), process.env);
  for (const { token, altered } of store.read()) {
    if (altered) redactor.add(token, 'altered-token');
    else redactor.addToken(token);
  }
  const session = new Session({
    target,
    options: plan,
    redactor,
    signal: null,
    environment: process.env,
    memory: { ...shared.open(), pseudonymKey: pseudonymKey(process.env, target.name) },
    events: {
      onExchange: (exchange, check) => {
        evidence.record(target.name, exchange, null, check);
        const token = tokenGivenBy(exchange, target.limits.maxJsonDepth);
        if (token !== null) store.keep(token, false);
        // Other workers must redact copies of tokens that this one redacts.
        for (const credential of credentialsIn(exchange.request.headers))
          if (redactor.redact(credential) !== credential) store.keep(credential, true);
        shared.note(exchange);
        return evidence.ready();
      },
    },
  });
  evidence.describe(target.name, settingOf(target, { ...plan, inTurn: true, tokensBefore }, redactor, true));
  return { session, evidence };
}
