/** One SVG element; attributes without a value are left out, numbers are rounded to a hundredth, text is escaped. */
export function element(
  name: string,
  attributes: { readonly [name: string]: string | number | undefined },
  text = '',
): string {
  return wrapped(name, attributes, escaped(text));
}

/** The same around elements. */
export function wrapped(
  name: string,
  attributes: { readonly [name: string]: string | number | undefined },
  inner: string,
): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escaped(typeof value === 'number' ? shortened(value) : value)}"`],
  );
  return `<${name}${written.join('')}${inner === '' ? '/>' : `>${inner}</${name}>`}`;
}

function shortened(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
