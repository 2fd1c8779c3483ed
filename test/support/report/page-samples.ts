import { catalogue, requirements } from '../../../specs/catalogue.ts';
import type { Results } from '../../../src/core/results.ts';
import { gatherEvidence } from '../../../src/report/evidence/exchange-views.ts';
import type { ReportData, ReportEntry } from '../../../src/report/report-data.ts';
import { entry, evidence, page } from './evidence-sample.ts';
import { many } from './many-sample.ts';
import { HOSTILE, hostile, judged, mixed, results, target, violation } from './sample.ts';

/** Every kind of report that is tested in a browser. */
export const PAGES: Readonly<Record<string, () => Promise<ReportData>>> = {
  conforming: () => data(conforming(), evidence(30)),
  mixed: () => data(mixed(), evidence(20)),
  'many failures': () => data(failing(), [...evidence(30)]),
  interrupted: () => data({ ...mixed(), run: { ...mixed().run, complete: false } }, evidence(12)),
  hostile: () => data(hostile(), poisoned()),
  'several targets': () => data(several(), evidence(20)),
  'many targets': () =>
    data(
      many(),
      evidence(60).map((one) => ({ ...one, target: 'vendor-03' })),
    ),
  'without evidence': () => data(mixed(), []),
};

async function data(run: Results, entries: readonly ReportEntry[]): Promise<ReportData> {
  return {
    results: run,
    catalogue,
    evidence: await gatherEvidence(run, entries),
    prove: { defects: 342, found: 342, variants: 41, false: 0 },
    exchanges: async function* () {
      for (const { target: of, exchange } of entries) yield { target: of, exchange, check: null };
    },
  };
}

/** A run with as many exchanges as a list of 25,000 records needs. */
export function large(exchanges: number): Promise<ReportData> {
  return data(failing(), evidence(exchanges));
}

function conforming(): Results {
  return results([target(requirements.map(({ id }) => judged(id, 'pass')))]);
}

/** 40 failures: every requirement of the catalogue, and three of them on a second list. */
function failing(): Results {
  const ids = [...requirements.map(({ id }) => id), 'link/offset', 'link/query', 'count/stable'];
  return results([
    target(
      ids.map((id, index) =>
        judged(id, 'fail', {
          resource: index >= requirements.length ? 'scanners' : 'printers',
          violations: Array.from({ length: 1 + (index % 3) }, (_, breach) =>
            violation({ message: `breach ${breach + 1} of ${id}`, exchanges: [1 + index, 2 + index] }),
          ),
        }),
      ),
    ),
  ]);
}

function several(): Results {
  const [first] = mixed().targets;
  if (first === undefined) throw new Error('the sample has a target');
  return results([
    first,
    { ...conforming().targets[0], name: 'beta' } as typeof first,
    target([], { name: 'gamma' }),
  ]);
}

// Text of the provider in every field of evidence.
function poisoned(): readonly ReportEntry[] {
  const headers = [[HOSTILE, HOSTILE]] as const;
  return evidence(20).map(({ exchange, ...more }) => {
    const { exchange: evil } = entry(
      exchange.number,
      exchange.request.target,
      page(0, 2, { [HOSTILE]: HOSTILE, count: HOSTILE, nextPageLink: HOSTILE }),
    );
    const answer = evil.answer === null ? null : { ...evil.answer, headers, statusText: HOSTILE };
    const request = {
      ...evil.request,
      target: `/v1/${HOSTILE}?$pagesize=${exchange.number}`,
      headers,
      body: HOSTILE,
    };
    return { ...more, target: HOSTILE, exchange: { ...evil, request, answer } };
  });
}
