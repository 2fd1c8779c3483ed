import { startMock } from './node_modules/.cache/try/src/mock/index.js';
import { conform } from './node_modules/.cache/try/src/run/conform.js';
import { replay } from './node_modules/.cache/try/src/run/replay.js';
import { makeTarget } from './node_modules/.cache/try/src/target/make.js';
const [,, n, ...ids] = process.argv;
for (const id of ids) for (let i = 0; i < +n; i++) {
  const mock = await startMock(id.startsWith('v:') ? {variant: id.slice(2)} : id==='-'?{}:{defects:[id]});
  const { authUrl, baseUrl, tenant, credentials, otherCredentials } = mock;
  const target = makeTarget({ name:'mock', authUrl, baseUrl, tenant, credentials, otherCredentials, limits:{requestsPerSecond:100000, concurrency:8, maxRequests: 100000}});
  const f='/tmp/tryreplay-'+process.pid+'.ndjson.gz';
  const results = await conform([target], {suite:'full', only:[], skip:[], seed: 42+i, runs:null, expiry:false, command:'', runId:'x', evidenceFile:f, listener:()=>{}, signal:null, environment:{}});
  await mock.close();
  const again = await replay(results, f);
  console.log(id, i, results.targets[0].traffic.requests, 'missing', again.missing.length, 'differences', again.differences.length, JSON.stringify(again.missing.slice(0,3)), JSON.stringify(again.differences.slice(0,2)).slice(0,300));
}
