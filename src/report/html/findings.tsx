import { resolution } from '../../core/cause-sentences.ts';
import { withCommas } from '../../core/number-format.ts';
import type { Requirement } from '../../core/requirement.ts';
import { type CauseGroup, type Finding, findingsWith, groupByCause, isOverview } from '../findings.ts';
import {
  clauseWords,
  comparedWords,
  curlWords,
  plural,
  sentence,
  showJson,
  visible,
  visibleLines,
} from '../wording/phrases.ts';
import { ExchangeLinks, ExchangeProof, type ProofProps } from './exchange-parts.tsx';
import { keyOfFinding, usePage } from './page-context.ts';
import { acceptanceOf, Preformatted, Section, VerdictChip } from './parts.tsx';

interface FailuresProps {
  readonly id: string;
  readonly title: string;
  readonly findings: readonly Finding[];
  readonly of?: number;
}

/** Failures with their proof; nothing if there is none. */
export function Failures({ id, title, findings, of = findings.length }: FailuresProps) {
  if (findings.length === 0) return null;
  const curl = curlWords(findings.flatMap(({ result }) => result.violations));
  return (
    <Section id={id} title={`${title} (${withCommas(of)})`}>
      {findings.map((finding) => (
        <Failure key={keyOfFinding(finding)} finding={finding} />
      ))}
      {curl === null ? null : <p class="muted">{curl}</p>}
    </Section>
  );
}

function Failure({ finding }: { readonly finding: Finding }) {
  const { catalogue, failureAnchor } = usePage();
  const { result, label, target } = finding;
  const row = catalogue.requirements.find((one) => one.id === result.id);
  const { waiver } = result;
  const acceptance = acceptanceOf(result);
  const [first, ...others] = result.violations;
  return (
    <article class={acceptance === null ? 'card' : 'card waived'} id={failureAnchor(result)}>
      <header>
        <h3>{label}</h3>
        <VerdictChip verdict="fail" acceptance={acceptance} />
        {result.cases === 0 ? null : <span class="muted">tested in {plural(result.cases, 'case')}</span>}
      </header>
      {waiver === null ? null : (
        <p class="notice">
          {acceptance === 'waived' ? 'Waived' : 'Waiver expired'}: {visible(waiver.reason)} (until{' '}
          {visible(waiver.until)})
        </p>
      )}
      {acceptance === 'known' ? <p class="notice">Known: the baseline has the same failure.</p> : null}
      <p class="message">
        {sentence(visible(first?.message ?? result.reason ?? 'No evidence was recorded.'))}
      </p>
      <p class="rule">
        <b>{sentence(clauseWords(result.clause))}</b> {visible(result.rule)}
      </p>
      {first === undefined ? null : (
        <Proof target={target} result={result} violation={first} advice={row ?? null} />
      )}
      {others.length === 0 ? null : (
        <details class="others">
          <summary>{plural(others.length, 'further violation')} of the same rule</summary>
          {others.map((violation, index) => (
            <div class="violation" key={index}>
              <p class="message">{sentence(visible(violation.message))}</p>
              <Proof target={target} result={result} violation={violation} advice={null} />
            </div>
          ))}
        </details>
      )}
    </article>
  );
}

interface AdvisedProofProps extends ProofProps {
  /** Usual causes and fix of such a violation; null if already shown or unknown. */
  readonly advice: Pick<Requirement, 'causes' | 'fix'> | null;
}

function Proof({ target, result, violation, advice }: AdvisedProofProps) {
  return (
    <div class="proof-of">
      <div class="against">
        {Object.entries(comparedWords(violation, 2000)).map(([name, words]) => (
          <div key={name} class={name}>
            <span>{sentence(name)}</span>
            <code>{words}</code>
          </div>
        ))}
      </div>
      <div class="case">
        <ExchangeProof target={target} result={result} violation={violation} />
        <Details target={target} violation={violation} advice={advice} />
      </div>
      {violation.curl === '' ? null : (
        <div class="curl">
          <button type="button" class="copy" hidden>
            Copy
          </button>
          <Preformatted name="curl command that reproduces it">{visibleLines(violation.curl)}</Preformatted>
        </div>
      )}
    </div>
  );
}

function Details({ target, violation, advice }: Omit<AdvisedProofProps, 'result'>) {
  const { counterexample, exchanges } = violation;
  return (
    <dl class="aside">
      {advice === null ? null : (
        <>
          <div>
            <dt>Usual causes</dt>
            <dd>{advice.causes}</dd>
          </div>
          <div>
            <dt>How to fix it</dt>
            <dd>{advice.fix}</dd>
          </div>
        </>
      )}
      {counterexample === null ? null : (
        <div>
          <dt>Smallest case</dt>
          {Object.entries(counterexample).map(([name, value]) => (
            <dd key={name}>
              {visible(name)} {value === null ? 'left out' : <code>{showJson(value)}</code>}
            </dd>
          ))}
        </div>
      )}
      {exchanges.length === 0 ? null : (
        <div>
          <dt>Evidence</dt>
          <dd>
            {exchanges.length === 1 ? 'exchange' : 'exchanges'}{' '}
            <ExchangeLinks target={target} numbers={exchanges} />
          </dd>
        </div>
      )}
    </dl>
  );
}

/** In an overview of many targets, most reasons, and most verdicts of a reason; the others are counted. */
const MAX_REASONS = 12;
const MAX_LABELS = 12;

/** The sections of verdicts that are neither a pass nor a failure. */
const SECTIONS = {
  error: { id: 'errors', title: 'Could not be carried out' },
  inconclusive: { id: 'inconclusive', title: 'Inconclusive' },
  skipped: { id: 'skipped', title: 'Skipped' },
} as const;

/** Verdicts grouped by cause, with how to resolve them; nothing if there are none. */
export function Reasons({ verdict }: { readonly verdict: keyof typeof SECTIONS }) {
  const { results } = usePage();
  const findings = findingsWith(results, verdict);
  if (findings.length === 0) return null;
  const { id, title } = SECTIONS[verdict];
  const groups = groupByCause(findings);
  const shown = isOverview(results) ? groups.slice(0, MAX_REASONS) : groups;
  const more = groups.length - shown.length;
  return (
    <Section id={id} title={`${title} (${withCommas(findings.length)})`}>
      <ul class="reasons">
        {shown.map((group) => (
          <Reason key={keyOfFinding(group.findings[0])} group={group} />
        ))}
      </ul>
      {more > 0 ? <p class="muted">and {plural(more, 'further reason')}</p> : null}
    </Section>
  );
}

function Reason({ group }: { readonly group: CauseGroup }) {
  const { results, rowAnchor } = usePage();
  const resolved = group.cause === null ? null : resolution(group.cause);
  // An overview has no rows to link to.
  const isLinked = !isOverview(results);
  const shown = isLinked ? group.findings : group.findings.slice(0, MAX_LABELS);
  const more = group.findings.length - shown.length;
  return (
    <li>
      <p class="message">{sentence(visible(group.sentence))}</p>
      <ul class="ids">
        {shown.map((finding) => (
          <li key={keyOfFinding(finding)}>
            {isLinked ? <a href={`#${rowAnchor(finding.result)}`}>{finding.label}</a> : finding.label}
          </li>
        ))}
        {more > 0 ? <li>and {withCommas(more)} more</li> : null}
      </ul>
      {resolved === null ? null : (
        <p class="resolution">
          <b>How to resolve</b> {visible(resolved)}
        </p>
      )}
    </li>
  );
}
