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
