import { Undecided } from '../../core/undecided.ts';
import { isHtml, webSiteDiagnosis } from '../../provider/diagnosis.ts';
import type { CheckContext } from '../context.ts';

/** Throws Undecided if baseUrl leads to a web site: a path that does not exist gives a web page as well as every list call. */
export async function expectNoWebSite(context: CheckContext): Promise<void> {
  const { list, tokens, target, snapshot } = context;
  const plain = await snapshot.first({});
  if (list.hasGivenPage || plain.kind !== 'no-envelope' || !plain.isWebPage) return;
  const unknown = `${list.place.basePath}/assay-${context.random('a path that does not exist').toString(16)}`;
  const exchange = await list.call({ target: unknown, authorization: `Bearer ${await tokens.bearer()}` });
  const { answer } = exchange;
  if (answer === null || answer.status !== 200 || !isHtml(answer)) return;
  const { cause, sentence, verdict } = webSiteDiagnosis(plain.target, exchange, target);
  throw new Undecided(cause, sentence, verdict);
}
