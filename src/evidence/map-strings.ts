import type { Json } from '../core/results.ts';

/** A copy of a JSON value with every string replaced, including member names. */
export function mapStrings<Value>(value: Value, replace: (text: string) => string): Value {
  return mapped(value as Json, replace) as Value;
}

function mapped(value: Json, replace: (text: string) => string): Json {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map((one) => mapped(one, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [replace(name), mapped(one as Json, replace)]),
  );
}
