import type { Part } from './part.ts';
import { failures } from './parts/failures.ts';
import { full } from './parts/full.ts';
import { latency } from './parts/latency.ts';
import { memory } from './parts/memory.ts';
import { mock } from './parts/mock.ts';
import { peers } from './parts/peers.ts';
import { prove } from './parts/prove.ts';
import { report } from './parts/report.ts';
import { smoke } from './parts/smoke.ts';
import { soak } from './parts/soak.ts';
import { start } from './parts/start.ts';
import { targets } from './parts/targets.ts';
import { traversal } from './parts/traversal.ts';

/** All parts, in order. */
export const parts: readonly Part[] = [
  smoke,
  full,
  traversal,
  memory,
  latency,
  targets,
  soak,
  failures,
  start,
  prove,
  report,
  mock,
  peers,
];
