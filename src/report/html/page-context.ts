import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { RequirementResult } from '../../core/results.ts';
import type { Finding } from '../findings.ts';
import type { ExchangeView, ReportData } from '../report-data.ts';

/** What all sections of a page share: the data and the anchors. */
interface PageContext extends ReportData {
  /** Whether findings need the name of their target. */
  readonly several: boolean;
  /** Anchor of a verdict in the matrix. */
  readonly rowAnchor: (result: RequirementResult) => string;
  readonly failureAnchor: (result: RequirementResult) => string;
  /** Whether the page shows a failure with its proof, at that anchor. */
  readonly hasProof: (result: RequirementResult) => boolean;
  readonly exchange: (target: string, number: number) => ExchangeView | null;
  /** The exchanges that a requirement of a target used, as ranges; empty if they are not known. */
  readonly usesOf: (target: string, id: string) => readonly (readonly [first: number, last: number])[];
  readonly exchangeAnchor: (target: string, number: number) => string;
}

/** `proven` are the failures that the page shows with their proof. */
export function pageContextOf(data: ReportData, proven: readonly Finding[]): PageContext {
  const anchors = new Map<RequirementResult, string>();
  data.results.targets.forEach((target, place) => {
    target.requirements.forEach((result, index) => {
      anchors.set(result, `${place + 1}-${index + 1}`);
    });
  });
  const views = new Map(
    [...data.evidence].map(([name, list]) => [name, new Map(list.map((view) => [view.number, view]))]),
  );
  const shown = new Set(proven.map(({ result }) => result));
  return {
    ...data,
    several: data.results.targets.length > 1,
    rowAnchor: (result) => `row-${anchors.get(result) ?? '0'}`,
    failureAnchor: (result) => `failure-${anchors.get(result) ?? '0'}`,
    hasProof: (result) => shown.has(result),
    exchange: (target, number) => views.get(target)?.get(number) ?? null,
    usesOf: (target, id) => data.uses?.get(target)?.[id] ?? [],
    exchangeAnchor: (target, number) =>
      `exchange-${data.results.targets.findIndex(({ name }) => name === target) + 1}-${number}`,
  };
}

const Context = createContext<PageContext | null>(null);

export const PageProvider = Context.Provider;

export function usePage(): PageContext {
  const context = useContext(Context);
  if (context === null) throw new Error('the component is outside of a page');
  return context;
}

/** A key that is unique among the findings of a run. */
export function keyOfFinding({ target, result }: Finding): string {
  return JSON.stringify([target.name, result.id, result.resource]);
}

/** The chapter of a requirement; `other` for a custom check. */
export function chapterWord(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('/'))) || 'other';
}
