import { didYouMean } from '../../core/suggestion.ts';
import {
  defects,
  findDefect,
  type Latency,
  type MockOptions,
  PERCENTILES,
  type Range,
  type Scenario,
  SWEEP_KINDS,
  variants,
} from '../../mock/index.ts';
import {
  documentOf,
  formatPath,
  locateProblems,
  type Path,
  type Problem,
  readDocument,
  type TargetDocument,
  TargetError,
} from '../../target/document.ts';
import { schemaProblems } from '../../target/schema-problems.ts';
import { type Arguments, UsageError } from '../command.ts';
import { decimal, oneOf, TOKEN_KINDS, text, texts, wholeNumber } from '../shared/options.ts';

/** Options of the provider; those that messages mention are required. */
export type Chosen = MockOptions & {
  readonly records: number;
  readonly defects: readonly string[];
  readonly clockRate: number;
};

/** The names of the defects of `assay prove --sweep`, which are not listed one by one. */
export const SWEEP_NAMES = `${SWEEP_KINDS.map((kind) => `sweep-${kind}-at-SIZE`).join(', ')}, with SIZE from 1 to 500 (filled: from 2)`;

/** Throws TargetError that names the line of every mistake. */
export async function readScenario(file: string): Promise<Scenario> {
  return checked(await readDocument(file, 'scenario'));
}

/** Like {@link readScenario}, for text received over HTTP: YAML or JSON. */
export async function scenarioOf(text: string): Promise<Scenario> {
  return checked(await documentOf('the scenario', text, 'scenario'));
}

function checked(document: TargetDocument): Scenario {
  const problems = schemaProblems(document.value, 'scenario');
  const scenario: Scenario = document.value;
  if (problems.length === 0) problems.push(...ruleProblems(scenario));
  if (problems.length > 0) throw new TargetError(locateProblems(problems, document));
  return scenario;
}

// Rules that the schema cannot express.
function ruleProblems({ defects: always = [], latency, rules = [], variant }: Scenario): readonly Problem[] {
  return [
    ...variantProblems(variant),
    ...defectProblems(['defects'], always),
    ...latencyProblems(['latency'], latency),
    ...rules.flatMap((rule, index) => [
      ...rangeProblems(['rules', index, 'when', 'elapsedSeconds'], rule.when?.elapsedSeconds),
      ...rangeProblems(['rules', index, 'when', 'requests'], rule.when?.requests),
      ...defectProblems(['rules', index, 'defects'], rule.defects ?? []),
      ...latencyProblems(['rules', index, 'latency'], rule.latency),
    ]),
  ];
}

function defectProblems(path: Path, ids: readonly string[]): readonly Problem[] {
  return ids.flatMap((id, index) => {
    const hint = defectHint(id);
    return hint === null ? [] : [{ path: [...path, index], message: `unknown defect "${id}"${hint}` }];
  });
}

function variantProblems(id: string | undefined): readonly Problem[] {
  const known = variants.map((variant) => variant.id);
  if (id === undefined || known.includes(id)) return [];
  return [{ path: ['variant'], message: `unknown variant "${id}"${didYouMean(id, known)}` }];
}

function rangeProblems(path: Path, range: Range | undefined): readonly Problem[] {
  const { from = 0, to = Infinity } = range ?? {};
  return from <= to
    ? []
    : [{ path, message: `${formatPath(path)} ends at ${to}, before it begins at ${from}` }];
}

function latencyProblems(path: Path, latency: Latency | undefined): readonly Problem[] {
  const named = latency?.percentilesMs ?? {};
  const profile = latency?.percentilesMs === undefined ? 'uniformMs' : 'percentilesMs';
  const values =
    latency?.uniformMs ?? PERCENTILES.flatMap((name) => (named[name] === undefined ? [] : [named[name]]));
  const falls = values.some((value, index) => index > 0 && value < (values[index - 1] ?? 0));
  const place = [...path, profile];
  return falls ? [{ path: place, message: `${formatPath(place)} must not decrease` }] : [];
}

/** The end of a sentence about an unknown defect; null if the defect exists. */
function defectHint(id: string): string | null {
  try {
    findDefect(id);
    return null;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  if (id.startsWith('sweep-')) return `; the defects for a single page size are ${SWEEP_NAMES}`;
  const known = defects.map((defect) => defect.id);
  return didYouMean(id, known) || '; assay mock --list-defects lists them';
}

/** Options take precedence over the scenario file, except that the defects of both are used. */
export async function readMockOptions(args: Arguments): Promise<Chosen> {
  const wanted = texts(args, 'defect');
  for (const id of wanted) {
    const hint = defectHint(id);
    if (hint !== null) throw new UsageError(`unknown defect "${id}"${hint}`);
  }
  const file = text(args, 'scenario');
  const scenario: Scenario = file === null ? {} : await readScenario(file);
  const { latency, rules, defects: always = [], ...fromFile } = scenario;
  const variant = variants.find(({ id }) => id === fromFile.variant);
  const resources = fromFile.resources ?? variant?.options?.resources;
  const latencyMs = wholeNumber(args, 'latency', { least: 0, most: 600_000 });
  const latencyProfile = latencyMs === null ? latency : { fixedMs: latencyMs };
  return {
    ...fromFile,
    ...(resources === undefined ? {} : { resources }),
    records:
      wholeNumber(args, 'records', { least: 0, most: 10_000_000 }) ??
      fromFile.records ??
      variant?.records ??
      1234,
    port: wholeNumber(args, 'port', { least: 0, most: 65_535 }) ?? 0,
    defects: [...new Set([...always, ...wanted])],
    clockRate: decimal(args, 'clock-rate', { least: 0.001, most: 1_000_000 }) ?? fromFile.clockRate ?? 1,
    tokens: oneOf(args, 'tokens', TOKEN_KINDS) ?? fromFile.tokens ?? variant?.options?.tokens ?? 'jwt',
    scenario: {
      ...(latencyProfile === undefined ? {} : { latency: latencyProfile }),
      ...(rules === undefined ? {} : { rules }),
    },
  };
}
