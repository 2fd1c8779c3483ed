import type { Results } from '../core/results.ts';
import { withoutWorkflowCommands } from '../core/workflow-commands.ts';
import { findingsOf, isOpenFailure } from './findings.ts';
import { plural } from './phrases.ts';
import { visible } from './safe-text.ts';

/** GitHub shows ten errors per step; the last one counts the others. */
const MOST = 9;

/** Workflow commands that show failures in a pull request on GitHub; empty if nothing failed. */
export function renderAnnotations(results: Results): string {
  const failures = findingsOf(results, isOpenFailure);
  const lines = failures.slice(0, MOST).map(({ label, result }) => {
    const message = result.violations[0]?.message ?? result.reason ?? '';
    return `::error title=${property(`Assay: ${label}`)}::${data(visible(message))}\n`;
  });
  const more = failures.length - lines.length;
  if (more > 0)
    lines.push(
      `::error title=Assay::${data(`${plural(more, 'further failure')}; the report has them all`)}\n`,
    );
  return lines.join('');
}

function data(text: string): string {
  return withoutWorkflowCommands(text).replace(/%/gu, '%25').replace(/\r/gu, '%0D').replace(/\n/gu, '%0A');
}

function property(text: string): string {
  return data(text).replace(/:/gu, '%3A').replace(/,/gu, '%2C');
}
