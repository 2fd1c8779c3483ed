import type { Results } from '../../core/results.ts';
import { visible } from '../safe-text.ts';

/** The version of Assay, the run and its seed. */
export function Footer({ results: { tool, run } }: { readonly results: Results }) {
  return (
    <footer>
      Assay {visible(tool.version)}, seed {run.seed}, run {visible(run.id)}
    </footer>
  );
}
