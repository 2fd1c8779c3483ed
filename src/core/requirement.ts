import type { CheckId } from './requirement-id.ts';

/** Chapters of the catalogue, in reading order; the first part of every identifier. */
export const CHAPTERS = [
  'token',
  'authorization',
  'list',
  'page-size',
  'link',
  'traversal',
  'count',
] as const;

export type Chapter = (typeof CHAPTERS)[number];

/** The chapter of a requirement; null for a custom check. */
export function chapterOf(id: string): Chapter | null {
  return CHAPTERS.find((chapter) => id.startsWith(`${chapter}/`)) ?? null;
}

export interface Requirement {
  readonly id: CheckId;
  /** Sections of the specification that state it. */
  readonly clause: readonly string[];
  /** Whether the smoke suite covers it. */
  readonly smoke: boolean;
  /** What a provider must do, in one or two sentences. */
  readonly rule: string;
  /** What the data or the target file must provide for a verdict; null for nothing. */
  readonly needs: string | null;
  /** How Assay judges it. */
  readonly tested: string;
  /** What a breach looks like to a client. */
  readonly breach: string;
  /** What most often causes a breach, with where to look. */
  readonly causes: string;
  readonly fix: string;
}

/** Behaviour that the specification leaves open: recorded and shown, never failed. */
export interface Observation {
  readonly id: string;
  readonly clause: readonly string[];
  /** What is observed. */
  readonly of: string;
  /** Advice to the provider, with the RFC if one applies; null if there is none. */
  readonly advice: string | null;
}

/** The texts of every requirement and observation, for reports. */
export interface Catalogue {
  readonly requirements: readonly Requirement[];
  readonly observations: readonly Observation[];
}

/** The texts of a declaration, which are written over several lines, each on one line. */
export function onOneLine<Texts extends object>(texts: Texts): Texts {
  const lines = Object.entries(texts).map(([name, text]) => [
    name,
    typeof text === 'string' ? text.replace(/\s+/gu, ' ').trim() : text,
  ]);
  return Object.fromEntries(lines) as Texts;
}
