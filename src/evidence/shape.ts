import { isJsonObject } from '../core/json-text.ts';

/** Whether a value of a file has an expected shape. Anyone may have written the file. */
export type Shape = (value: unknown) => boolean;

export const isText: Shape = (value) => typeof value === 'string';
export const isNumber: Shape = (value) => typeof value === 'number';
/** Whole numbers from 0 on that a double holds exactly. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function nullable(shape: Shape): Shape {
  return (value) => value === null || shape(value);
}

/** Values of a shape, and members that are absent or null. */
export function optional(shape: Shape): Shape {
  return (value) => value == null || shape(value);
}

export function listOf(shape: Shape): Shape {
  return (value) => Array.isArray(value) && value.every(shape);
}

/** Objects with any names whose values all have a shape. */
export function mapOf(shape: Shape): Shape {
  return (value) => isJsonObject(value) && Object.values(value).every(shape);
}

/** Objects with these members; others are ignored. */
export function objectWith(members: { readonly [name: string]: Shape }): Shape {
  return (value) =>
    isJsonObject(value) && Object.entries(members).every(([name, shape]) => shape(value[name]));
}
