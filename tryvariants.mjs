import { judgeMock } from './try.mjs';
import { variants } from './node_modules/.cache/try/src/mock/index.js';
const [,, from, to, glob] = process.argv;
let runs=0, failed=0, requests=0; const open=new Map();
const jobs=[];
for (let seed=+from; seed<=+to; seed++) for (const v of variants) if (!glob || v.id.includes(glob)) jobs.push([seed,v]);
const worker = async () => { for (;;) { const j = jobs.shift(); if (!j) return; const [seed,v]=j;
  const r = await judgeMock({variant: v.id, ...(v.living?{seed}:{})}, {seed, inquire:false});
  runs++; requests+=r.traffic.requests;
  const bad = r.requirements.filter(x=>x.verdict==='fail'||x.verdict==='error');
  if (bad.length) { failed++; console.log('FAILED', seed, v.id, bad.map(x=>x.id+': '+x.reason+'\n'+JSON.stringify(x.violations[0]?.counterexample)).join('\n')); }
  if (!v.living) for (const x of r.requirements) if (x.verdict==='inconclusive' && x.cause.kind!=='data' && !x.id.startsWith('token/')) { const k=v.id+' '+x.id+' '+JSON.stringify(x.cause); open.set(k,(open.get(k)??0)+1); }
} };
await Promise.all(Array.from({length:+(process.env.J??3)},worker));
console.log({runs, failed, requests}); for (const [k,n] of open) console.log(n,k);
