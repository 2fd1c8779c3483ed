import { jsonText } from '../core/json-text.ts';
import type { Results } from '../core/results.ts';

/**
 * The text of results.json in one piece per target, to keep only one piece in memory. The pieces together are
 * valid JSON with a line break at the end.
 */
export function* resultsInPieces({ targets, ...run }: Results): Generator<string> {
  const head = jsonText(run);
  yield `${head.slice(0, -2)},\n  "targets": [`;
  for (const [index, target] of targets.entries()) {
    const text = jsonText(target).replaceAll('\n', '\n    ');
    yield `${index === 0 ? '' : ','}\n    ${text}`;
  }
  yield targets.length === 0 ? ']\n}\n' : '\n  ]\n}\n';
}
