import type { Results } from '../../core/results.ts';
import { isOverview } from '../target-selection.ts';
import { visible } from '../wording/safe-text.ts';

/** Facts about the run that produced the report. */
export function Environment({ results }: { readonly results: Results }) {
  const { run, tool, targets } = results;
  const rows: readonly (readonly [name: string, value: string])[] = [
    ['Run', run.id],
    ['Command', run.command],
    ['Started', run.startedAt],
    ['Finished', run.finishedAt],
    ['Suite and seed', `${run.suite}, seed ${run.seed}`],
    ['Complete', run.complete ? 'yes' : 'no: not every requirement was judged'],
    // An overview shows the URLs in the table of targets.
    ...(isOverview(results) ? [] : targets).flatMap((target): readonly (readonly [string, string])[] => [
      [`${target.name}: lists`, target.baseUrl],
      [`${target.name}: tokens`, target.authUrl],
    ]),
    ['Assay', `${tool.version} on Node ${tool.node}, results in the format ${results.format}`],
  ];
  return (
    <section id="environment" aria-labelledby="environment-title">
      <h2 id="environment-title">Environment</h2>
      <dl class="environment">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{visible(name)}</dt>
            <dd>{visible(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
