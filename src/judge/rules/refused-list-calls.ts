import { Blocked, changing, Undecided, unavailable } from '../../core/undecided.ts';
import { isFailed } from '../../provider/call-log.ts';
import { headStart } from '../../provider/head-start.ts';
import { isOtherSuccess } from '../../provider/page.ts';
import { type CallOptions, ON_NEW_CONNECTION } from '../../provider/sender.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import { MAX_ATTEMPTS } from '../confirmation.ts';
import type { CheckContext, Judge, Property } from '../context.ts';
import { evidenceOrNull, mapInParallel, orNull } from '../outcomes.ts';
import { drawnQuery, sizedQuery, uncountedQuery } from '../probes/drawn-query.ts';
import { blockedByNoPage } from '../probes/expected-page.ts';
import {
  callOnce,
  expectClosedToAnyToken,
  expectClosedToUnrelated,
  expectClosedWithoutToken,
  expectListNeverOpen,
  expectUp,
  firstPageTargets,
  type LinkedTargets,
  NO_RECORD,
  recordsGiven,
  unsharedRefusal,
} from '../probes/list-refusals.ts';
import { expectRedirectClosed } from '../probes/redirected-call.ts';
import { callAndRead } from '../probes/valid-token-calls.ts';
import { explainByTokenCache, runWithCacheExplanation } from '../proofs/shared-cache.ts';
import { Violation } from '../violation.ts';

/** Control calls without a token: if one gives records, the list is open to everyone. */
const CONTROLS = 3;
/** Controls before a breach seen once is reported. */
const CONTROLS_OF_ONE = 12;
/** The same if calls without a token gave records in this run. */
const CONTROLS_IF_OPEN_AT_TIMES = 36;

/** A list call that must give no records. */
export interface ListProbe {
  /** Identifies the probe when it is sent again. */
  readonly key: string;
  /** How the list is called, to follow "a list call". */
  readonly description: string;
  readonly call: CallOptions;
  /** Whether the list may be open without any token, which is a breach of authorization/required only. */
  readonly mayListBeOpen: boolean;
  /** The same call with unrelated text in place of the token, if the place of the token may be what opens the list. */
  readonly control?: CallOptions;
  /** The text in place of a token. If a later request obtained it as a token, the answer proves nothing. */
  readonly madeUpToken?: string;
  /**
   * The request target whose records nobody may get without a token; by default that of the call, unless the token is
   * in it.
   */
  readonly closed?: string;
  /** For a call that is wrong in several ways: one call for each of them, to find the one that breaks the rule. */
  readonly parts?: readonly ListProbe[];
  /** Makes calls with the token before this one. */
  readonly before?: (snapshot: Snapshot) => Promise<unknown>;
  /** Whether the same call with a token is in progress when this one is sent. */
  readonly isDuringSame?: true;
}

/**
 * Calls that must give no records: a few fixed ones, or drawn ones, for which a breach is shrunk to the smallest call.
 */
type ListProbes = readonly ListProbe[] | Property<ListProbe>;

/**
 * Tests a rule by which list calls without a token must be refused, by the answer to each probe. If records
 * are given only after the same call with a token, the violation says so.
 *
 * @param probes the calls, in groups that are sent one after another
 * @param options.includesCallsOfOtherChecks whether calls without a token that other checks made, and that gave records, break
 * the rule as well
 */
export function refusedListCalls(
  probes: (context: CheckContext) => AsyncIterable<ListProbes>,
  { includesCallsOfOtherChecks = false } = {},
): Judge {
  return async (context) => {
    await expectOpenToToken(context);
    const expectProbesRefused = async (): Promise<void> => {
      for await (const group of probes(context)) {
        const test = (): Promise<void> => expectRefusals(context, group);
        await (isBare(group) ? runWithCacheExplanation(context, test) : test());
      }
      await expectUp(context);
    };
    if (!includesCallsOfOtherChecks) return expectProbesRefused();
    // Records in answers to other checks prove a breach, even if the probes were undecided.
    const undecided = await expectProbesRefused().catch((error: unknown) => {
      if (error instanceof Violation) throw error;
      return { error };
    });
    context.afterAllChecks(async () => {
      // An undecided call is ignored.
      if (context.options.suite !== 'smoke') await evidenceOrNull(context, unsharedRefusal(context));
      await expectListNeverOpen(context);
      if (undecided !== undefined) throw undecided.error;
    });
  };
}

/** Whether calls carry nothing that could open the list. */
function isBare(group: ListProbes): boolean {
  return 'sample' in group || group.every(({ call }) => call.headers === undefined);
}

/** Tests a rule by which list calls that are derived from the token of the run must be refused. */
export function refusedTokenUses(
  probes: (context: CheckContext, token: string) => ListProbes | Promise<ListProbes>,
): Judge {
  return async (context) => {
    await expectOpenToToken(context);
    await withLiveToken(context, async (token) => {
      try {
        await expectRefusals(context, await probes(context, token));
        await expectUp(context);
      } catch (error) {
        if (!(error instanceof Violation)) throw error;
        const [breach] = error.breaches;
        const callWith = async (another: string): Promise<CallOptions | null> => {
          const group = await probes(context, another);
          const all = 'sample' in group ? group.examples : group;
          return all.find(({ key }) => key === breach?.key)?.call ?? null;
        };
        throw (await orNull(explainByTokenCache(context, error, callWith))) ?? error;
      }
    });
  };
}

/** Expects that a call with a valid token gives records; otherwise a refusal shows nothing. Throws Undecided. */
async function expectOpenToToken({ snapshot }: CheckContext): Promise<void> {
  const answer = await snapshot.first({});
  if (answer.kind !== 'page')
    throw blockedByNoPage(answer, `the list call with a valid token gives no list: ${answer.why}`);
  if (answer.itemCount === 0)
    throw new Undecided(NO_RECORD, 'the list is empty, so a call that must be refused can give no records');
}

/**
 * Makes calls that must be refused until one gives records: drawn calls one after another, others a few at a time.
 * Throws the first confirmed breach in the order of the calls, or else the first other error.
 */
async function expectRefusals(context: CheckContext, group: ListProbes): Promise<void> {
  let brokenBy: ListProbe | null = null;
  const send = async (attempt: CheckContext, probe: ListProbe): Promise<void> => {
    try {
      await expectRefusal(attempt, probe);
    } catch (error) {
      if (error instanceof Violation) brokenBy = probe;
      throw error;
    }
  };
  const expectProof = async (probe: ListProbe | null): Promise<void> => {
    const { unauthorizedPages, unauthorizedOtherPages } = context.list.history;
    const isOpenAtTimes = unauthorizedPages.length + unauthorizedOtherPages.length > 0;
    const controls = isOpenAtTimes ? CONTROLS_IF_OPEN_AT_TIMES : CONTROLS_OF_ONE;
    if (probe?.mayListBeOpen === true) await expectClosed(context, probe, controls);
  };
  if ('sample' in group)
    return context.property({ ...group, expectNoOtherExplanation: () => expectProof(brokenBy) }, send);
  let hasBreach = false;
  const outcomes = await mapInParallel(context.target.limits, group, async (probe) => {
    if (hasBreach) return null;
    try {
      await context.confirm(
        { atRest: false, maxSnapshots: MAX_ATTEMPTS, expectNoOtherExplanation: () => expectProof(probe) },
        (attempt) => send(attempt, probe),
      );
      return null;
    } catch (error) {
      hasBreach ||= error instanceof Violation;
      return { error };
    }
  });
  const thrown = outcomes.filter((outcome) => outcome !== null);
  const first = thrown.find(({ error }) => error instanceof Violation) ?? thrown[0];
  if (first !== undefined) throw first.error;
}

/**
 * Makes one call. Throws Violation. For a call with parts, throws that of the first part that gives records by itself,
 * if any.
 */
async function expectRefusal(context: CheckContext, probe: ListProbe): Promise<void> {
  const { snapshot } = context;
  if (probe.before !== undefined) await probe.before(snapshot);
  // A shared cache may serve the answer of one caller to the next.
  else if (snapshot.number > 0) await snapshot.client.authorized(probe.call.target ?? snapshot.client.path);
  const turn = snapshot.number + context.random(`connection ${probe.description}`);
  const token = probe.isDuringSame === true ? await context.tokens.bearer() : null;
  const same =
    token === null ? null : orNull(callOnce(context, { ...probe.call, authorization: `Bearer ${token}` }));
  try {
    if (same !== null) await headStart();
    await expectOneRefusal(context, onConnection(probe, turn));
  } catch (error) {
    if (error instanceof Violation)
      for (const part of probe.parts ?? []) await expectOneRefusal(context, onConnection(part, turn));
    throw error;
  } finally {
    await same;
  }
}

/**
 * The probe on a kept or on a new connection, by turn: one of several servers may check less, and a connection may
 * remember a token.
 */
function onConnection(probe: ListProbe, turn: number): ListProbe {
  if (turn % 2 === 0 || probe.call.senderOptions?.overSingle === true) return probe;
  const headers = [...(probe.call.headers ?? []), ...ON_NEW_CONNECTION.headers];
  return { ...probe, call: { ...probe.call, headers } };
}

async function expectOneRefusal(context: CheckContext, probe: ListProbe): Promise<void> {
  const exchange = await callOnce(context, probe.call);
  // A short text may be the same as a token that was issued.
  if (probe.madeUpToken !== undefined && context.tokens.history.isIssued(probe.madeUpToken)) return;
  context.exercised();
  if (exchange === null) return;
  const records = context.list.records.findIn(exchange);
  if (records === null) {
    if (probe.call.authorization === null) await expectRedirectClosed(context, probe, exchange);
    return;
  }
  if (probe.call.authorization === null) context.list.history.unauthorizedOtherPages.push(exchange);
  if (probe.mayListBeOpen) await expectClosed(context, probe);
  const { key, description } = probe;
  throw recordsGiven(description, exchange, records, { key, counterexample: { call: description } });
}

/**
 * Throws Blocked if the list gives records without any token, or with any text as a token: then the probe is not the
 * reason. Tries a few times, since one of several servers may be open to everybody.
 */
async function expectClosed(
  context: CheckContext,
  { call, closed, control }: ListProbe,
  controls = CONTROLS,
): Promise<void> {
  const { authorization, target, senderOptions, headers = [] } = call;
  const { path, history } = context.list;
  // The same query, unless the token is in it; of a call without a token the first page.
  const repeated = closed ?? (authorization === null ? undefined : target);
  const same = {
    // The same connection, or a new one as well, which may be what opens the list.
    ...(senderOptions === undefined ? {} : { senderOptions }),
    headers: headers.filter((header) => ON_NEW_CONNECTION.headers.includes(header)),
  };
  const isLinked = repeated === undefined && target !== undefined && history.links.isGiven(target);
  const firstPages = isLinked ? firstPageTargets(target, context) : [repeated ?? path];
  for (let tries = 0; tries < controls * firstPages.length; tries++) {
    const first = firstPages[tries % firstPages.length] ?? path;
    await expectClosedWithoutToken(context, { ...same, target: first, authorization: null });
  }
  const unrelated =
    control === undefined || target === undefined || control.target !== undefined
      ? control
      : { ...control, target };
  if (authorization === null) {
    if (unrelated !== undefined) await expectClosedWithoutToken(context, unrelated);
    return;
  }
  // A probe without Bearer has no header that a list might accept with any text as a token.
  if (!authorization.startsWith('Bearer ')) await expectClosedToAnyToken(context, repeated);
  if (unrelated === undefined) return;
  // The Authorization header may open the list if the token is elsewhere, as may the one of two headers without it.
  const hasOther = unrelated.headers?.some(([name]) => name === 'Authorization') === true;
  const isElsewhere = authorization.startsWith('Bearer ') && unrelated.authorization === authorization;
  if (hasOther || isElsewhere) await expectClosedToUnrelated(context, unrelated);
}

/**
 * Runs probes that are derived from a token, and then checks that the token itself is still accepted. If it is not, the
 * refusals prove nothing, so this tries again with a new token.
 */
function withLiveToken(context: CheckContext, probes: (token: string) => Promise<void>): Promise<void> {
  const { tokens, list, requirement, snapshot, options } = context;
  return tokens.lock.run(async () => {
    for (let attempts = 0; attempts < 3; attempts++) {
      // A cache may accept altered copies only of a token that was used.
      const used = attempts === 0 ? list.history.tokenOf.get((await snapshot.first({})).exchange) : undefined;
      const token = await (used === undefined ? tokens.bearer() : tokens.bearerKeeping(used));
      await probes(token);
      // First the most usual call, because some faults show when it is repeated.
      const query =
        attempts === 0 && options.suite !== 'smoke'
          ? '?$count=true'
          : sizedQuery(context, `control ${attempts} of ${requirement.id}`);
      const target = list.path + query;
      const control = await callAndRead(context, token, { target });
      if (control.answer?.status === 200) return;
      if (control.answer !== null && isOtherSuccess(control.answer))
        throw new Blocked(
          'authorization/accepted',
          `a call with a valid token is answered ${control.answer.status}, so answers to calls derived from it prove nothing`,
        );
      await tokens.renew(token);
    }
    const status = list.history.calls.statusBefore(Number.POSITIVE_INFINITY);
    if (status !== null && isFailed({ status }))
      throw unavailable(status, `calls with a valid token are answered ${status} now`);
    if (list.history.refusalsInForce.length > 0)
      throw new Blocked(
        'authorization/accepted',
        'calls with a valid token are refused intermittently, so refusals of calls derived from it prove nothing',
      );
    throw changing(
      'the token of the test was no longer accepted after the calls derived from it, 3 times in a row, ' +
        'as when another token request ended it or the address was blocked: ' +
        'that these calls were refused proves nothing',
    );
  });
}

/**
 * The probe without a query, with a drawn query, or of a page behind the first one, by turn: a gateway may check the
 * token for some of them only.
 *
 * @param linked in turn, too
 */
export function withQuery(
  context: CheckContext,
  turn: number,
  probe: ListProbe,
  linked: LinkedTargets,
): ListProbe {
  const { list, options } = context;
  // Smoke only looks for breaches in answers that it has.
  if (turn % 3 === 0 || options.suite === 'smoke') return probe;
  // Every second one without $count: it is the query of clients that need one page only.
  const query = turn % 6 === 1 ? uncountedQuery : drawnQuery;
  const page = linked[Math.floor(turn / 3) % linked.length] ?? linked[0];
  const drawn = turn % 3 === 1 ? list.path + query(context, `query ${turn}`) : page;
  // Names with %24 may be read by other code, too.
  const target = turn % 12 === 7 ? drawn.replaceAll('$', '%24') : drawn;
  return { ...probe, description: `of ${target} ${probe.description}`, call: { ...probe.call, target } };
}
