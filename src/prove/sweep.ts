import type { SweepRow } from '../core/prove.ts';
import { type SweepKind, sweepDefect } from '../mock/index.ts';
import type { CarryOut } from './prove.ts';
import { generator } from './random.ts';
import type { Trial, TrialResult } from './trial.ts';

const KINDS: readonly SweepKind[] = ['limit', 'filled', 'offset', 'count'];
const SIZES = Array.from({ length: 500 }, (_none, index) => index + 1);

/** Records of the list in which they are planted. */
const RECORDS = 1234;

/** A defect of one page size. */
interface Plant {
  readonly kind: SweepKind;
  readonly size: number;
  readonly requirement: string;
}

/** Several plants in one provider: each of another kind, at another size. */
type Bed = readonly Plant[];

/**
 * Plants a defect of each kind at every page size, and counts for how many sizes it is found with each number of
 * runs, in the full suite, and in `certify`.
 *
 * Defects of different kinds share a provider, because no check that names one looks at the others. What fewer runs
 * found is not planted again for more: sizes are tried in one order, so that more runs try the same ones first.
 * For `certify` everything is planted anew.
 */
export async function runSweep(
  runs: readonly number[],
  { seed }: { readonly seed: number },
  carryOut: CarryOut,
): Promise<readonly SweepRow[]> {
  const all = KINDS.flatMap((kind) => SIZES.flatMap((size) => plantsOf(kind, size)));
  const rows: SweepRow[] = [];
  let missed: readonly Plant[] = all;
  for (const number of runs.toSorted((one, other) => one - other)) {
    const harvest = await sow(missed, { runs: number, seed, carryOut });
    missed = harvest.missed;
    rows.push(...KINDS.map((kind) => rowOf(kind, number, all, harvest)));
  }
  const harvest = await sow(all, { runs: null, seed, carryOut });
  return [...rows, ...KINDS.map((kind) => rowOf(kind, null, all, harvest))];
}

function plantsOf(kind: SweepKind, size: number): readonly Plant[] {
  // A page of one record cannot be short of one: that would be an empty page.
  if (kind === 'filled' && size === 1) return [];
  const requirement = sweepDefect(kind, size).must[0] ?? '';
  return [{ kind, size, requirement }];
}

/** What came of plants. */
interface Harvest {
  readonly missed: readonly Plant[];
  /** Failures that no plant of the provider breaks. */
  readonly false: readonly Plant[];
  readonly mostRequests: number;
}

async function sow(
  plants: readonly Plant[],
  {
    runs,
    seed,
    carryOut,
  }: { readonly runs: number | null; readonly seed: number; readonly carryOut: CarryOut },
): Promise<Harvest> {
  const beds = bedsOf(plants, seed);
  const results = await carryOut(beds.map((bed) => trialOf(bed, runs, seed)));
  const missed: Plant[] = [];
  const wrong: Plant[] = [];
  let mostRequests = 0;
  for (const [index, bed] of beds.entries()) {
    const result = results[index] ?? null;
    mostRequests = Math.max(mostRequests, result?.requests ?? 0);
    for (const plant of bed) if (result === null || !isFound(plant, result)) missed.push(plant);
    if (result !== null) wrong.push(...failuresBeside(bed, result));
  }
  return { missed, false: wrong, mostRequests };
}

/** Puts plants into as few providers as can be, none of them with two of a kind or two at one size. */
function bedsOf(plants: readonly Plant[], seed: number): readonly Bed[] {
  const random = generator(seed);
  const shuffled = plants
    .map((plant) => ({ plant, rank: random() }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ plant }) => plant);
  const beds: Plant[][] = [];
  for (const plant of shuffled) {
    const bed = beds.find((one) => one.every(({ kind, size }) => kind !== plant.kind && size !== plant.size));
    if (bed === undefined) beds.push([plant]);
    else bed.push(plant);
  }
  return beds;
}

function trialOf(bed: Bed, runs: number | null, seed: number): Trial {
  return {
    mock: { records: RECORDS, defects: bed.map(({ kind, size }) => sweepDefect(kind, size).id) },
    suite: runs === null ? 'certify' : 'full',
    only: KINDS.map((kind) => sweepDefect(kind, 2).must[0] ?? ''),
    seed,
    runs,
    expiry: false,
  };
}

/** Whether the plant's requirement failed, and with its size. */
function isFound(plant: Plant, result: TrialResult): boolean {
  return result.verdicts.some(
    ({ requirement, verdict, sentence }) =>
      requirement === plant.requirement && verdict === 'fail' && names(sentence ?? '', plant.size),
  );
}

// 500 is the page size in force, too, where none is asked for: what breaks it need not name it.
function names(sentence: string, size: number): boolean {
  return size === 500 || new RegExp(`\\$pagesize=${size}(?!\\d)`).test(sentence);
}

function failuresBeside(bed: Bed, result: TrialResult): readonly Plant[] {
  return result.verdicts.flatMap(({ requirement, verdict, sentence }) => {
    if (verdict !== 'fail' && verdict !== 'error') return [];
    const plant = bed.find((one) => one.requirement === requirement);
    if (plant !== undefined && verdict === 'fail' && isFound(plant, result)) return [];
    const kind = KINDS.find((one) => sweepDefect(one, 2).must.includes(requirement)) ?? 'limit';
    const size = Number(/\$pagesize=(\d+)/.exec(sentence ?? '')?.[1] ?? bed[0]?.size ?? 0);
    return [{ kind, size, requirement }];
  });
}

function rowOf(kind: SweepKind, runs: number | null, all: readonly Plant[], harvest: Harvest): SweepRow {
  const ascending = (plants: readonly Plant[]): readonly number[] =>
    plants
      .filter((plant) => plant.kind === kind)
      .map(({ size }) => size)
      .toSorted((one, other) => one - other);
  const planted = all.filter((plant) => plant.kind === kind);
  const missed = ascending(harvest.missed);
  return {
    kind,
    requirement: planted[0]?.requirement ?? '',
    runs,
    planted: planted.length,
    found: planted.length - missed.length,
    missed,
    falselyFailed: ascending(harvest.false),
    mostRequests: harvest.mostRequests,
  };
}
