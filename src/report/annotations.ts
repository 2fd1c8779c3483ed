import { conclusionOf, conclusionWithout, selectionWords } from '../core/conclusion.ts';
import type { Results } from '../core/results.ts';
import { isOpenFailure } from '../core/verdict.ts';
import { withoutWorkflowCommands } from '../core/visible-text.ts';
import { findingsOf } from './findings.ts';
import { headline, suiteWords } from './wording/headline.ts';
import { plural, visible } from './wording/phrases.ts';

/** GitHub shows ten errors per step; the last one contains the number of the others. */
const MAX_SHOWN = 9;

/** Workflow commands that show failures on GitHub, or else why a run says nothing; `remaining` are the results without those that a baseline accepts. */
export function renderAnnotations(results: Results, remaining: Results = results): string {
  const failures = findingsOf(remaining, isOpenFailure);
  const title = `Assay, ${suiteWords(results)}`;
  const lines = failures.slice(0, MAX_SHOWN).map(({ target, label, result }) => {
    const message = result.violations[0]?.message ?? result.reason ?? '';
    const file = target.file === undefined ? '' : `file=${property(visible(target.file))},`;
    return `::error ${file}title=${property(`${title}: ${label}`)}::${data(visible(message))}\n`;
  });
  const more = failures.length - lines.length;
  if (more > 0)
    lines.push(
      `::error title=${property(title)}::${data(`${plural(more, 'further failure')}; the report has them all`)}\n`,
    );
  const conclusion = conclusionWithout(results, remaining);
  // If a known failure keeps a certification from passing, the other results do not say so.
  const shown = conclusion === conclusionOf(remaining) ? remaining : results;
  const isStale = (results.run.baseline?.stale ?? 0) > 0;
  if (failures.length === 0 && isStale)
    lines.push(`::error title=${property(title)}::${data(visible(headline(results)))}\n`);
  const level = { error: 'error', inconclusive: 'warning', failed: null, 'needs-data': null, passed: null }[
    conclusion
  ];
  if (failures.length === 0 && !isStale && level !== null)
    lines.push(`::${level} title=${property(title)}::${data(visible(headline(shown)))}\n`);
  const selection = selectionWords(results);
  if (selection !== null) lines.push(`::notice title=Assay::${data(`${selection}: the run is partial`)}\n`);
  return lines.join('');
}

function data(text: string): string {
  return withoutWorkflowCommands(text).replace(/%/gu, '%25').replace(/\r/gu, '%0D').replace(/\n/gu, '%0A');
}

function property(text: string): string {
  return data(text).replace(/:/gu, '%3A').replace(/,/gu, '%2C');
}
