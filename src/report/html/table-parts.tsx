import type { ComponentChildren } from 'preact';

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

/** Unchanged text, wrapped. */
export function Preformatted({ name, class: kind = 'text', children }: ScrollProps) {
  return (
    <Scroll name={name} class={kind}>
      <pre>
        <code>{children}</code>
      </pre>
    </Scroll>
  );
}

/** The head of a table; columns of `numbers` are aligned to the right. */
export function Columns({
  names,
  numbers = [],
}: {
  readonly names: readonly string[];
  /** Numeric columns, after the others. */
  readonly numbers?: readonly string[];
}) {
  return (
    <thead>
      <tr>
        {names.map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
        {numbers.map((name) => (
          <th key={name} scope="col" class="number">
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface TableProps {
  readonly name: string;
  readonly class?: string;
  readonly caption?: string;
  /** Classes of columns, which set their widths; null for the rest of the width. */
  readonly widths?: readonly (string | null)[];
  readonly columns: readonly string[];
  /** Numeric columns, after the others; aligned to the right. */
  readonly numbers?: readonly string[];
  readonly children: ComponentChildren;
}

/** A table that scrolls separately; the children are its rows. */
export function Table({
  name,
  class: kind = 'stacked',
  caption,
  widths = [],
  columns,
  numbers = [],
  children,
}: TableProps) {
  return (
    <Scroll name={name}>
      <table class={kind}>
        {caption === undefined ? null : <caption>{caption}</caption>}
        <Widths of={widths} />
        <Columns names={columns} numbers={numbers} />
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
  return (
    <>
      {Object.entries(of).map(([name, words]) => (
        <td key={name} class="number" data-name={name}>
          {words}
        </td>
      ))}
    </>
  );
}

/** A name with its value. */
export type Fact = readonly [name: string, value: ComponentChildren];

/** Names with their values. */
export function FactList({
  class: kind,
  facts,
}: {
  readonly class?: string;
  readonly facts: readonly Fact[];
}) {
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
