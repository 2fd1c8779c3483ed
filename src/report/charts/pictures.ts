import { brokenTargets } from '../attention.ts';
import type { ExchangeView, ReportData } from '../data.ts';
import { READ_BODIES } from '../evidence/gather.ts';
import type { Picture } from '../formats/html/pictures.tsx';
import { visible } from '../safe-text.ts';
import { counts } from './counts.ts';
import { type Drawing, draw } from './draw.ts';
import { latencyByPosition, latencyBySize } from './latency.ts';
import { type ListedPage, listsOf } from './series.ts';
import { sweep } from './sweep.ts';
import { timeline } from './timeline.ts';
import { traversal } from './traversal.ts';

/** A picture before it is drawn. */
export interface Sketch {
  readonly title: string;
  readonly words: string;
  readonly drawing: Drawing;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  readonly wide: boolean;
}

/** Targets and lists that are drawn: beyond, a page would grow past reading. */
const TARGETS = 4;
const LISTS = 3;
const ROWS = 60;

/**
 * Draws the pictures of a run from its evidence, in the order in which they are shown. Of more than a few targets those
 * are drawn that are broken: of the others it takes longer than all their requests, and shows what nobody looks for.
 */
export async function drawPictures({ results, evidence }: ReportData): Promise<readonly Picture[]> {
  const pictures: Picture[] = [];
  const drawn = results.targets.length > TARGETS ? brokenTargets(results) : results.targets;
  for (const { name } of drawn.slice(0, TARGETS)) {
    const views = evidence.get(name) ?? [];
    for (const sketch of sketchesOf(views)) {
      const { drawing, rows, ...rest } = sketch;
      const svg = await draw(drawing);
      pictures.push({
        ...rest,
        target: name,
        svg,
        rows: rows.slice(0, ROWS),
        left: Math.max(0, rows.length - ROWS),
      });
    }
  }
  return pictures;
}

function sketchesOf(views: readonly ExchangeView[]): readonly Sketch[] {
  const startedAt = Math.min(...views.map((view) => view.startedAt));
  const lists = [...listsOf(views)].slice(0, LISTS);
  const perList = lists.flatMap(([path, pages]) =>
    listSketches(pages, startedAt).map((sketch) => ({
      ...sketch,
      title: lists.length === 1 ? sketch.title : `${sketch.title}: ${visible(path)}`,
      words:
        views.length > READ_BODIES ? `Of the first ${READ_BODIES} exchanges. ${sketch.words}` : sketch.words,
    })),
  );
  return [...perList, timeline(views, startedAt)].filter((sketch) => sketch !== null);
}

function listSketches(pages: readonly ListedPage[], startedAt: number): readonly Sketch[] {
  return [
    traversal(pages),
    sweep(pages),
    counts(pages, startedAt),
    latencyBySize(pages),
    latencyByPosition(pages),
  ].filter((sketch) => sketch !== null);
}
