import { parametersOf, wholeNumberIn } from '../../provider/link.ts';
import type { CheckContext } from '../context.ts';
import { drawnQuery } from './drawn-query.ts';
import { linkedPages } from './list-refusals.ts';

/** Drawn queries with which an expired token is tried. */
const DRAWN_QUERIES = { smoke: 0, full: 1, certify: 10 };

/**
 * The requests that carry an expired token: the list without a query and with a count, its second page, the last linked page
 * of the run, and drawn queries. A gate may treat these differently.
 */
export async function targetsOfExpiredToken(context: CheckContext): Promise<readonly string[]> {
  const { list, options } = context;
  const drawn = Array.from(
    { length: DRAWN_QUERIES[options.suite] },
    (_none, number) => list.path + drawnQuery(context, `expired token ${number}`),
  );
  const [second] = await linkedPages(context);
  const offsetOf = (target: string): number => wholeNumberIn(parametersOf(target), '$skip') ?? 0;
  const linked = list.history.links.given.map(([target]) => target).toSorted();
  const deepest = linked.toSorted((one, other) => offsetOf(other) - offsetOf(one)).slice(0, 1);
  return [...new Set([list.path, `${list.path}?$count=true`, second, ...deepest, ...drawn])];
}
