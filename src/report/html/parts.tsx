import type { ComponentChildren } from 'preact';
import { withCommas } from '../../core/number-format.ts';
import type { RequirementResult } from '../../core/results.ts';
import { isKnownFailure, isWaived, type ShownVerdict, type Verdict } from '../../core/verdict.ts';
import { type Counts, countWords } from '../findings.ts';

interface ScrollProps {
  readonly name: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A section that scrolls separately if it is too wide or too long, also by keyboard. */
export function Scroll({ name, class: kind = 'scroll', children }: ScrollProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard (WCAG 2.1.1).
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div class={kind} tabIndex={0} role="group" aria-label={name}>
      {children}
    </div>
  );
}

export function Preformatted({ name, class: kind = 'text', children }: ScrollProps) {
  return (
    <Scroll name={name} class={kind}>
      <pre>
        <code>{children}</code>
      </pre>
    </Scroll>
  );
}

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly children: ComponentChildren;
}

export function Section({ id, title, children }: SectionProps) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
    </section>
  );
}

/** The head of a table; columns of `numbers` are aligned to the right. */
export function Columns({ columns, numbers = [] }: ColumnsProps) {
  return (
    <thead>
      <tr>
        {[...columns, ...numbers].map((name, index) => (
          <th key={name} scope="col" class={index < columns.length ? undefined : 'number'}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface ColumnsProps {
  readonly columns: readonly string[];
  /** Numeric columns, after the others. */
  readonly numbers?: readonly string[];
}

interface TableProps extends ColumnsProps {
  readonly name: string;
  readonly class?: string;
  readonly caption?: string;
  /** Classes of columns, which set their widths; null for the rest of the width. */
  readonly widths?: readonly (string | null)[];
  readonly children: ComponentChildren;
}

/** A table that scrolls separately; the children are its rows. */
export function Table({
  name,
  class: kind = 'stacked',
  caption,
  widths = [],
  children,
  ...columns
}: TableProps) {
  return (
    <Scroll name={name}>
      <table class={kind}>
        {caption === undefined ? null : <caption>{caption}</caption>}
        <Widths of={widths} />
        <Columns {...columns} />
        <tbody>{children}</tbody>
      </table>
    </Scroll>
  );
}

/** The classes of a table's columns, which set their widths. */
export function Widths({ of }: { readonly of: readonly (string | null)[] }) {
  if (of.length === 0) return null;
  return (
    <colgroup>
      {of.map((kind, index) => (
        <col key={index} class={kind ?? undefined} />
      ))}
    </colgroup>
  );
}

/** The cells of a row in the numeric columns, by the names of these. */
export function NumberCells({ of }: { readonly of: Readonly<Record<string, string>> }) {
  return Object.entries(of).map(([name, words]) => (
    <td key={name} class="number" data-name={name}>
      {words}
    </td>
  ));
}

export type Fact = readonly [name: string, value: ComponentChildren];

interface FactListProps {
  readonly class?: string;
  readonly facts: readonly Fact[];
}

export function FactList({ class: kind, facts }: FactListProps) {
  return (
    <dl class={kind}>
      {facts.map(([name, value], index) => (
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Signs shown with verdicts, so that colour is never the only difference; each needs a text alternative. */
export const SIGNS: Readonly<Record<ShownVerdict, string>> = {
  fail: '✗',
  waived: '✗',
  error: '!',
  inconclusive: '?',
  pass: '✓',
  skipped: '–',
};

/** Why a failure does not decide the outcome: a waiver or the baseline covers it. */
type Acceptance = 'waived' | 'known';

/** Null for results that decide the outcome. */
export function acceptanceOf(result: RequirementResult): Acceptance | null {
  if (isWaived(result)) return 'waived';
  return isKnownFailure(result) ? 'known' : null;
}

export function VerdictChip({
  verdict,
  acceptance = null,
}: {
  readonly verdict: Verdict;
  readonly acceptance?: Acceptance | null;
}) {
  return (
    <span class={`chip ${acceptance === null ? verdict : 'inconclusive'}`}>
      <span aria-hidden="true">{SIGNS[verdict]}</span> {verdict}
      {acceptance === null ? '' : `, ${acceptance}`}
    </span>
  );
}

/** The verdicts that occur, worst first, as a list. */
export function CountList({ counts }: { readonly counts: Counts }) {
  return (
    <ul class="counts">
      {countWords(counts).map(({ verdict, words }) => (
        <li key={verdict} class={verdict}>
          <span aria-hidden="true">{SIGNS[verdict]}</span> {words}
        </li>
      ))}
    </ul>
  );
}

/** The verdicts that occur, worst first, each as sign and number; `named` with visible words. */
export function Tally({ counts, named = false }: { readonly counts: Counts; readonly named?: boolean }) {
  return countWords(counts).map(({ verdict, words }) => (
    <span key={verdict} class={`tally ${verdict}`}>
      <span aria-hidden="true">{SIGNS[verdict]}</span> {named ? words : withCommas(counts[verdict])}
      {named ? null : <span class="unseen"> {verdict}</span>}{' '}
    </span>
  ));
}
