import { startMock, variants } from './node_modules/.cache/fixed/src/mock/index.js';
import { conform } from './node_modules/.cache/fixed/src/run/conform.js';
import { makeTarget } from './node_modules/.cache/fixed/src/target/make.js';
import { suite } from './node_modules/.cache/fixed/specs/suite.js';
// Each check only reads the main traversal: what fails is what the model alone shows.
const checks = suite.map((check) => ({ ...check, judge: async (context) => { await context.snapshot.traversal(null); context.exercised(); } }));
const [, , from, to, which = ''] = process.argv;
const chosen = variants.filter(({ id }) => id.includes(which));
let runs = 0, failed = 0, requests = 0, modelled = 0; const open = new Map();
const jobs = [];
for (let seed = +from; seed <= +to; seed++) for (const v of chosen) jobs.push([seed, v]);
const worker = async () => { for (;;) { const job = jobs.shift(); if (!job) return; const [seed, v] = job;
  const mock = await startMock({ variant: v.id, ...(v.options?.tokens === undefined && seed % 4 !== 0 ? { tokens: 'opaque' } : {}), ...(v.living ? { seed } : {}) });
  try {
    const { authUrl, baseUrl, tenant, credentials, otherCredentials } = mock;
    const target = makeTarget({ name: 'mock', authUrl, baseUrl, tenant, credentials, otherCredentials, limits: { requestsPerSecond: 100000, concurrency: 8 } });
    const { targets: [r] } = await conform([target], { suite: 'full', only: [], skip: [], seed, runs: null, expiry: false, command: '', runId: 'x', evidenceFile: null, listener: () => {}, signal: null, environment: {}, inquire: false, checks });
    runs++; requests += r.traffic.requests; if (r.traffic.requests > 25) modelled++;
    const bad = r.requirements.filter((x) => x.verdict === 'fail' || x.verdict === 'error');
    if (bad.length) { failed++; console.log('FAILED', seed, v.id, bad.map((x) => x.id + ': ' + x.reason + '\n' + JSON.stringify(x.violations[0]?.counterexample)).join('\n')); }
    for (const x of r.requirements) if (x.verdict === 'inconclusive') { const k = v.id + ' ' + x.id + ' ' + JSON.stringify(x.cause); open.set(k, (open.get(k) ?? 0) + 1); }
  } finally { await mock.close(); }
  if (runs % 2000 === 0) console.log(new Date().toISOString(), runs, failed);
} };
await Promise.all(Array.from({ length: 8 }, worker));
console.log({ variants: chosen.length, runs, modelled, failed, requests }); for (const [k, n] of open) console.log(n, k);
