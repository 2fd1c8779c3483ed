import type { Results } from '../../core/results.ts';
import { visible } from '../safe-text.ts';

/** Which Assay made a report, of which run, and the seed by which it asks the same again. */
export function Footer({ results: { tool, run } }: { readonly results: Results }) {
  return (
    <footer>
      Assay {visible(tool.version)}, seed {run.seed}, run {visible(run.id)}
    </footer>
  );
}
