import { UserError } from '../core/user-error.ts';
/** An invalid target file, environment variable or flag. */
export class TargetError extends UserError {
  override readonly name = 'TargetError';
  /** Every problem, one sentence each, in the order of the file. */
  readonly problems: readonly string[];

  /** The message is the first problem, with the number of the others. */
  constructor(problems: readonly string[]) {
    const [first = 'the target cannot be used', ...others] = problems;
    super(others.length === 0 ? first : `${first} (and ${others.length} more)`);
    this.problems = problems;
  }
}

/** One problem of a target, before its location is added. */
export interface Problem {
  readonly path: Path;
  readonly message: string;
  /** Whether the location is the key and not its value. */
  readonly atKey?: boolean;
}

/** Keys and indices from the top of a target to a value. */
export type Path = readonly (string | number)[];

/** The value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, part) => (at as { readonly [part: string | number]: unknown } | null | undefined)?.[part],
    value,
  );
}

/** A path as text: `resources[0].path`. */
export function formatPath(path: Path): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('');
}
