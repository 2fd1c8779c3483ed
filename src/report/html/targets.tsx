import { withCommas } from '../../core/number-format.ts';
import type { Results, TargetResult } from '../../core/results.ts';
import {
  brokenTargets,
  countVerdicts,
  detailedTargets,
  targetsNeedingAttention,
  worstFinding,
} from '../findings.ts';
import { outcomeCounts, shownOutcome } from '../wording/headline.ts';
import { excerpt, milliseconds, plural, recordWords, sentence, visible } from '../wording/phrases.ts';
import { usePage } from './page-context.ts';
import { acceptanceOf, NumberCells, Section, Table, Tally } from './parts.tsx';

const MAX_FINDING_LENGTH = 140;

/** One row per target of a large run: first those that need attention, then the conformant ones, collapsed. */
export function Targets() {
  const { results } = usePage();
  const needAttention = targetsNeedingAttention(results);
  const conformant = results.targets.filter((target) => !needAttention.includes(target));
  return (
    <Section id="targets" title="Targets">
      <p>{scopeWords(results)}</p>
      <p class="muted">
        <code>assay report RUN --target NAME --open</code> shows one target in full, with all its evidence.
        RUN is the folder of this page.
      </p>
      {needAttention.length === 0 ? null : (
        <TargetTable name="Targets that need attention" targets={needAttention} />
      )}
      {conformant.length === 0 ? null : (
        <details class="fold" open={needAttention.length === 0}>
          <summary>{outcomeCounts(conformant, results.run.suite)}</summary>
          <TargetTable name="Conformant targets" targets={conformant} />
        </details>
      )}
    </Section>
  );
}

function scopeWords(results: Results): string {
  const all = `This page is an overview of ${withCommas(results.targets.length)} targets`;
  const shown = detailedTargets(results).length;
  const broken = brokenTargets(results).length;
  if (shown === 0) return `${all}. None of them failed, so it shows no requests and answers.`;
  const which =
    broken > shown
      ? `the first ${shown} of ${withCommas(broken)} non-conformant targets`
      : plural(broken, 'non-conformant target');
  return `${all}. Below are failures, with evidence, of ${which}.`;
}

interface TableProps {
  readonly name: string;
  readonly targets: readonly TargetResult[];
}

function TargetTable({ name, targets }: TableProps) {
  return (
    <Table
      name={name}
      class="targets stacked"
      widths={['of-target', 'of-outcome', 'of-tallies', null, 'of-number', 'of-number']}
      columns={['target', 'outcome', 'verdicts', 'worst finding']}
      numbers={['requests', '95 %']}
    >
      {targets.map((target) => (
        <Row key={target.name} target={target} />
      ))}
    </Table>
  );
}

function Row({ target }: { readonly target: TargetResult }) {
  const { requests, latencyMs } = target.traffic;
  const { words, style } = shownOutcome(target, usePage().results.run.suite);
  return (
    <tr>
      <th scope="row">
        {visible(target.name)}
        <div class="muted">
          {visible(target.baseUrl)}, {recordWords(target)}
        </div>
      </th>
      <td class={`brief outcome ${style}`}>{words}</td>
      <td class="brief">
        <Tally counts={countVerdicts(target.requirements)} />
      </td>
      <td class="finding">
        <WorstFinding target={target} />
      </td>
      <NumberCells of={{ requests: withCommas(requests), '95 %': milliseconds(latencyMs.p95) }} />
    </tr>
  );
}

function WorstFinding({ target }: { readonly target: TargetResult }) {
  const { failureAnchor, hasProof } = usePage();
  const worst = worstFinding(target);
  if (worst === null) return null;
  const acceptance = acceptanceOf(worst);
  const words = excerpt(worst.violations[0]?.message ?? worst.reason ?? '', MAX_FINDING_LENGTH);
  const id = visible(worst.id);
  return (
    <>
      {hasProof(worst) ? <a href={`#${failureAnchor(worst)}`}>{id}</a> : <b>{id}</b>}
      {acceptance === null ? null : <span class="muted">, {acceptance}</span>} <div>{sentence(words)}</div>
    </>
  );
}
