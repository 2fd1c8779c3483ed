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

/** One statement of the specification that a provider is held to. */
export interface Requirement {
  readonly id: CheckId;
  /** Sections of the specification that state it. */
  readonly clause: readonly string[];
  /** Whether the smoke suite covers it. */
  readonly smoke: boolean;
  /** What a provider must do, in one or two sentences. */
  readonly rule: string;
  /** What the data or the target file must offer before it can be judged; null where nothing. */
  readonly needs: string | null;
  /** How Assay judges it. */
  readonly tested: string;
  /** What a breach looks like to a client. */
  readonly breach: string;
  /** What most often causes a breach, with where to look. */
  readonly causes: string;
  /** What puts it right. */
  readonly fix: string;
}

/** Something the specification leaves open: looked at, shown, never failed. */
export interface Observation {
  readonly id: string;
  readonly clause: readonly string[];
  /** What is looked at. */
  readonly of: string;
  /** What users of such APIs are advised, with its RFC where one applies; null where there is nothing to advise. */
  readonly advice: string | null;
}

/** The texts of every requirement and observation, for reports. */
export interface Catalogue {
  readonly requirements: readonly Requirement[];
  readonly observations: readonly Observation[];
}
