import { Error as ErrorsOnly, parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

/** What a picture shows, without the manner that all pictures share. */
export type Drawing = TopLevelSpec;

const silent = {
  level: () => silent,
  error: () => silent,
  warn: () => silent,
  info: () => silent,
  debug: () => silent,
};

/**
 * Draws a picture as static SVG. Its colours are those of the page's style sheet, so that it is dark where the page
 * is dark; it holds neither script nor style of its own.
 */
export async function draw(drawing: Drawing): Promise<string> {
  const { spec } = compile({ ...drawing, config: MANNER }, { logger: silent as never });
  const view = new View(parse(spec), { renderer: 'none', logLevel: ErrorsOnly });
  try {
    // Whoever shows it says in words what it shows; its parts would say it again, less well.
    return (await view.toSVG()).replace('<svg ', '<svg aria-hidden="true" ');
  } finally {
    view.finalize();
  }
}

/** Colours of the page. */
export const COLOUR = {
  good: 'var(--pass)',
  bad: 'var(--fail)',
  odd: 'var(--inconclusive)',
  broken: 'var(--error)',
  quiet: 'var(--muted)',
  ink: 'var(--ink)',
  link: 'var(--link)',
} as const;

const FONT = 'system-ui, DejaVu Sans, sans-serif';
const AXIS = {
  labelColor: COLOUR.quiet,
  titleColor: COLOUR.quiet,
  gridColor: 'var(--line)',
  domainColor: 'var(--line)',
  tickColor: 'var(--line)',
  labelFont: FONT,
  titleFont: FONT,
  labelFontSize: 11,
  titleFontSize: 11,
  titleFontWeight: 'normal' as const,
};

const MANNER: NonNullable<TopLevelSpec['config']> = {
  aria: false,
  background: 'transparent',
  view: { stroke: 'transparent' },
  axis: AXIS,
  legend: {
    labelColor: COLOUR.ink,
    titleColor: COLOUR.quiet,
    labelFont: FONT,
    titleFont: FONT,
    labelFontSize: 11,
    titleFontSize: 11,
    labelLimit: 320,
    orient: 'top',
    title: null,
  },
  text: { font: FONT, fontSize: 11, color: COLOUR.quiet },
};
