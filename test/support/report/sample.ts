import { anyRow, catalogue } from '../../../specs/catalogue.ts';
import type { Requirement } from '../../../src/core/requirement.ts';
import type {
  ObservationResult,
  RequirementResult,
  Results,
  TargetResult,
  ViolationRecord,
} from '../../../src/core/results.ts';
import type { Verdict } from '../../../src/core/verdict.ts';
import { outcomeOf, outcomeOfAll } from '../../../src/core/verdict.ts';
import { type ReportData, withoutEvidence } from '../../../src/report/report-data.ts';

/** Report data of a run without evidence. */
export function dataOf(run: Results): ReportData {
  return withoutEvidence(run, catalogue);
}

/** Hostile text of a provider: escapes, markup, invisible and forbidden characters. */
export const HOSTILE =
  '\u001b[2J\u001b]0;owned\u0007\u009b31m<script>alert(1)</script>"\'&]]>\u202egnp.exe\u2066\u0000\u0008\ufffe\ud800\r\n| `rm` \u200b\u{e0041}';

/** Characters that no report may contain (except line breaks). */
export const FORBIDDEN =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069\ufffe\uffff\u{e0041}]/u;

export function violation(parts: Partial<ViolationRecord> = {}): ViolationRecord {
  return {
    message: 'after 3 pages of 7, $skip is 20 instead of 21',
    expected: 21,
    actual: 20,
    counterexample: { pageSize: 7, page: 3 },
    exchanges: [17, 18],
    curl: `curl -sS -H "Authorization: Bearer $TOKEN" 'https://api.acme.example/v1/printers?$count=true&$pagesize=7&$skip=14'`,
    ...parts,
  };
}

/** A cause for each verdict that has one. */
const CAUSES = {
  inconclusive: { kind: 'changing' },
  error: { kind: 'unavailable', status: null },
  skipped: { kind: 'unconfigured', key: 'otherCredentials' },
} as const;

export function judged(
  id: string,
  verdict: Verdict,
  parts: Partial<RequirementResult> = {},
): RequirementResult {
  const { clause, rule } = anyRow(id) as Requirement;
  return {
    id,
    resource: id.startsWith('token/') ? null : 'printers',
    clause,
    rule,
    verdict,
    reason: verdict === 'pass' ? null : 'one sentence of reason',
    cause: verdict === 'pass' || verdict === 'fail' ? null : CAUSES[verdict],
    waiver: null,
    violations: verdict === 'fail' ? [violation()] : [],
    cases: 12,
    requests: 9,
    durationMs: 41.5,
    ...parts,
  };
}

export function observed(parts: Partial<ObservationResult> = {}): ObservationResult {
  return {
    id: 'observe/page-size-above-maximum',
    resource: 'printers',
    value: 'capped at 500',
    attention: false,
    detail: {},
    exchanges: [30],
    ...parts,
  };
}

export function target(
  requirements: readonly RequirementResult[],
  parts: Partial<TargetResult> = {},
): TargetResult {
  return {
    name: 'acme-staging',
    authUrl: 'https://login.acme.example',
    baseUrl: 'https://api.acme.example',
    outcome: outcomeOf(requirements),
    records: { printers: 1234 },
    requirements,
    observations: [observed()],
    traffic: {
      requests: 88,
      retries: 2,
      bytesReceived: 1_234_567,
      latencyMs: { p50: 4, p95: 9.25, p99: 12, max: 31 },
    },
    ...parts,
  };
}

export function results(targets: readonly TargetResult[], run: Partial<Results['run']> = {}): Results {
  return {
    format: 'assay-results/1',
    tool: { name: 'assay', version: '1.0.0', node: 'v20.20.2' },
    run: {
      id: '20261121-051331-042-9f3c1a',
      startedAt: '2026-11-21T05:13:31.042Z',
      finishedAt: '2026-11-21T05:13:33.100Z',
      suite: 'full',
      seed: 42,
      complete: true,
      command: 'assay run acme.yaml',
      ...run,
    },
    outcome: outcomeOfAll(targets, true),
    targets,
  };
}

const waiver = { requirement: 'page-size/filled', reason: 'agreed, ticket 4711', until: '2027-03-31' };

/** A run with every verdict, a waived failure, and an expired waiver. */
export function mixed(): Results {
  return results([
    target(
      [
        judged('token/issued', 'pass'),
        judged('token/provider-isolation', 'skipped', { reason: 'no second credentials' }),
        judged('authorization/required', 'error', { reason: 'the connection was reset' }),
        judged('page-size/default', 'inconclusive', { reason: 'needs more than 500 records' }),
        judged('page-size/maximum', 'inconclusive', { reason: 'needs more than 500 records' }),
        judged('page-size/filled', 'fail', { waiver: { ...waiver, active: true } }),
        judged('link/query', 'fail', {
          waiver: { ...waiver, requirement: 'link/query', until: '2025-01-01', active: false },
        }),
        judged('link/offset', 'fail'),
      ],
      {
        observations: [
          observed(),
          observed({
            id: 'observe/transport',
            value: 'plain http',
            attention: true,
            detail: { http: '1.1' },
          }),
        ],
      },
    ),
  ]);
}

/** A run in which the provider, the target file and custom checks put {@link HOSTILE} into every field. */
export function hostile(): Results {
  const poisoned = violation({
    message: HOSTILE,
    expected: HOSTILE,
    actual: { [HOSTILE]: [HOSTILE] },
    counterexample: { [HOSTILE]: HOSTILE },
    curl: `curl '${HOSTILE}'`,
  });
  const waived = { requirement: HOSTILE, reason: HOSTILE, until: '2027-03-31', active: true };
  return results(
    [
      target(
        [
          judged('link/offset', 'fail', { reason: HOSTILE, violations: [poisoned] }),
          judged('link/query', 'fail', { reason: HOSTILE, violations: [poisoned], waiver: waived }),
          judged('count/present', 'inconclusive', { reason: HOSTILE }),
          judged('count/stable', 'error', { reason: HOSTILE }),
          judged('count/equals-records', 'skipped', { reason: HOSTILE, resource: HOSTILE }),
          { ...judged('token/issued', 'pass'), id: `mine/${HOSTILE}`, rule: HOSTILE },
        ],
        {
          name: HOSTILE,
          baseUrl: `https://${HOSTILE}`,
          records: { [HOSTILE]: 3, nothing: null },
          observations: [
            observed({ value: HOSTILE, attention: true, detail: { [HOSTILE]: HOSTILE } }),
            observed({ id: `observe/${HOSTILE}`, value: HOSTILE }),
          ],
        },
      ),
    ],
    { command: HOSTILE },
  );
}

/** A provider whose failures are all waived until a day. */
export function waived(until: string): Results {
  const results = mixed();
  const waiver = (requirement: string) => ({
    requirement,
    reason: 'agreed, ticket 4711',
    until,
    active: true,
  });
  return {
    ...results,
    targets: results.targets.slice(0, 1).map((target) => ({
      ...target,
      requirements: target.requirements.map((one) =>
        one.verdict === 'fail' ? { ...one, waiver: waiver(one.id) } : one,
      ),
    })),
  };
}
