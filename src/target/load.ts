import path from 'node:path';
import {
  locateProblems,
  type Problem,
  readDocument,
  type TargetDocument,
  TargetError,
  valueLocations,
} from './document.ts';
import {
  applyEnvironment,
  cutValueWarnings,
  emptyVariables,
  environmentOf,
  keysWithVariables,
  missingVariables,
  overridingProblems,
  replacementWarnings,
  substituteVariables,
} from './environment.ts';
import { DEFAULT_LIMITS, makeTarget, type TargetInput } from './make.ts';
import { schemaProblems } from './schema-problems.ts';
import type { Resource, Target } from './target.ts';
import { isBuiltIn, ruleProblems } from './target-rules.ts';
import { fileWarnings, lineBreakWarnings, schemaWarnings, transportWarnings } from './warnings.ts';

export interface LoadOptions {
  /** Paths of YAML or JSON files; none for a target from the environment alone. */
  readonly files: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** A file with variables that target files read (`--env`); `.env` beside each target file if absent. */
  readonly envFile?: string | null | undefined;
  /** Options of a command, already validated. */
  readonly flags?: {
    readonly maxRequests?: number | null | undefined;
    /** Requests per second. */
    readonly rate?: number | null | undefined;
  };
  /** Identifiers that waivers may name; not checked if absent. */
  readonly knownRequirements?: readonly string[] | undefined;
}

/** The targets of a run, with warnings about their files. */
export interface LoadedTargets {
  readonly targets: readonly Target[];
  /** Warnings for the author of the files, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * The targets of a run: one per file, or one from the ASSAY_ variables without a file. Flags take precedence over the
 * environment, which takes precedence over the file. With several files, the environment must not change any of them:
 * a conflicting variable is an error. The environment file only provides variables that the target file reads; it
 * overrides nothing. Throws TargetError if a file or a variable is invalid; its message names the location.
 */
export async function loadTargets(options: LoadOptions): Promise<LoadedTargets> {
  const { files } = options;
  if (files.length === 0) return await fromEnvironment(options);
  const warnings: string[] = [];
  const targets: Target[] = [];
  for (const file of files) {
    const document = await readDocument(file);
    warnings.push(...fileWarnings(document));
    const env = environmentOf(document.file, options.env, options.envFile ?? null);
    warnings.push(...cutValueWarnings(document, options.env, options.envFile ?? null));
    const alone = files.length === 1;
    if (alone) warnings.push(...replacementWarnings(document, options.env, env));
    const target = completeTarget(document, options, { alone, env });
    rejectDuplicate(target, targets, files);
    targets.push(target);
  }
  return { targets, warnings: [...warnings, ...targets.flatMap(targetWarnings)] };
}

async function fromEnvironment(options: LoadOptions): Promise<LoadedTargets> {
  const missing = missingVariables(options.env);
  if (missing.length > 0) {
    const variables = missing.length === 1 ? 'the environment variable' : 'the environment variables';
    const verb = missing.length === 1 ? 'is' : 'are';
    const what = `${variables} ${missing.join(', ')} ${verb} not set`;
    throw new TargetError([`no target file is named, and ${what}: name a target file or set the variables`]);
  }
  const document: TargetDocument = { file: 'the environment', value: {}, lineOf: () => 1 };
  const target = completeTarget(document, options, { alone: true, env: options.env });
  return { targets: [target], warnings: targetWarnings(target) };
}

function targetWarnings(target: Target): readonly string[] {
  return [...transportWarnings(target), ...lineBreakWarnings(target), ...schemaWarnings(target)];
}

/** @param env the variables that the document can read */
function completeTarget(
  document: TargetDocument,
  options: LoadOptions,
  { alone, env }: { readonly alone: boolean; readonly env: NodeJS.ProcessEnv },
): Target {
  const { value, origins } = applyEnvironment(document.value, alone ? options.env : {});
  const problems: Problem[] = [];
  const substituted = substituteVariables(value, env, problems, origins);
  for (const problem of schemaProblems(substituted)) {
    const empty = emptyVariables(value, problem.path, env);
    const hint = empty.length === 0 ? '' : ` (the environment variable ${empty.join(', ')} is empty)`;
    problems.push({ ...problem, message: problem.message + hint });
  }
  const folder = path.dirname(path.resolve(document.file));
  const input = substituted as TargetInput;
  if (problems.length === 0) problems.push(...ruleProblems(input, folder, options.knownRequirements));
  if (!alone) problems.push(...overridingProblems(substituted, options.env));
  if (problems.length > 0) throw new TargetError(locateProblems(problems, document, origins));
  const fromEnvironment = keysWithVariables(value['headers']);
  return targetOf(input, document, options.flags ?? {}, {
    places: valueLocations(document, origins),
    ...(fromEnvironment.length === 0 ? {} : { headersFromEnvironment: fromEnvironment }),
  });
}

function targetOf(
  input: TargetInput,
  { file }: TargetDocument,
  { maxRequests, rate }: NonNullable<LoadOptions['flags']>,
  origins: Pick<Target, 'places' | 'headersFromEnvironment'>,
): Target {
  const { checks = [], tls = {}, resources, name, ...rest } = input;
  const folder = path.dirname(path.resolve(file));
  const fileName = file === 'the environment' ? undefined : path.parse(file).name;
  const absolute = (relative: string | undefined): string | null =>
    relative === undefined ? null : path.resolve(folder, relative);
  return makeTarget({
    ...rest,
    name: name ?? fileName ?? new URL(input.baseUrl).host,
    ...(resources === undefined ? {} : { resources: resources.map((list) => resourceOf(list, folder)) }),
    limits: {
      ...input.limits,
      maxRequests: maxRequests ?? input.limits?.maxRequests ?? DEFAULT_LIMITS.maxRequests,
      requestsPerSecond: rate ?? input.limits?.requestsPerSecond ?? DEFAULT_LIMITS.requestsPerSecond,
    },
    checks: checks.map((file) => path.resolve(folder, file)),
    tls: { ca: absolute(tls.ca), cert: absolute(tls.cert), key: absolute(tls.key) },
    file: fileName === undefined ? null : displayPath(file),
    ...origins,
  });
}

// A path outside of the working folder would reveal how this machine is organised.
function displayPath(file: string): string {
  const relative = path.relative('', file);
  const isInside = relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
  return isInside ? relative.split(path.sep).join('/') : path.basename(file);
}

function resourceOf(list: NonNullable<TargetInput['resources']>[number], folder: string): Resource {
  const { name, path: at, itemSchema = 'printer', idField = 'id' } = list;
  const schema = isBuiltIn(itemSchema) ? itemSchema : path.resolve(folder, itemSchema);
  return { name, path: at, itemSchema: schema, idField };
}

function rejectDuplicate(target: Target, earlier: readonly Target[], files: readonly string[]): void {
  const index = earlier.findIndex(({ name }) => name === target.name);
  if (index === -1) return;
  const [first = '', second = ''] = [files[index], files[earlier.length]];
  throw new TargetError([
    path.resolve(first) === path.resolve(second)
      ? `${second} is given twice`
      : `${second}: the target name ${target.name} is also used in ${first}; rename one of them`,
  ]);
}
