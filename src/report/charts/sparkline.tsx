/** A line without axes, scaled from the smallest to the largest of at least two values; CSS sets its size. */
export function Sparkline({
  values,
  label,
}: {
  readonly values: readonly number[];
  /** The same content as text. */
  readonly label: string;
}) {
  const least = Math.min(...values);
  const range = Math.max(...values) - least;
  const step = 100 / Math.max(1, values.length - 1);
  const points = values.map((value, index) => {
    const [x, y] = [index * step, range === 0 ? 12 : 2 + 20 * (1 - (value - least) / range)];
    return `${Number(x.toFixed(2))},${Number(y.toFixed(2))}`;
  });
  return (
    <svg class="sparkline" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={label}>
      <polyline points={points.join(' ')} vector-effect="non-scaling-stroke" />
    </svg>
  );
}
