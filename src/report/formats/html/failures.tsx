import { requirements } from '../../../../specs/catalogue.ts';
import type { RequirementResult, TargetResult, ViolationRecord } from '../../../core/results.ts';
import { withCommas } from '../../../core/with-commas.ts';
import type { Finding } from '../../digest.ts';
import { marksFor } from '../../evidence/marks.ts';
import { showJson, visible } from '../../safe-text.ts';
import { clauseWords, curlWords, plural } from '../../words.ts';
import { ExchangeProof } from './exchange-proof.tsx';
import { chapterWord, type Frame, keyOfFinding } from './frame.ts';
import { Preformatted } from './scroll.tsx';
import { ExchangeLinks, sentence, VerdictChip } from './words.tsx';

interface FailuresProps {
  readonly frame: Frame;
  readonly id: string;
  readonly title: string;
  readonly findings: readonly Finding[];
  /** How many there are, where not all are shown. */
  readonly of?: number;
}

/** Failures with their proof; nothing where there is none. */
export function Failures({ frame, id, title, findings, of = findings.length }: FailuresProps) {
  if (findings.length === 0) return null;
  const curl = curlWords(findings.flatMap(({ result }) => result.violations));
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        {title} ({withCommas(of)})
      </h2>
      {findings.map((finding) => (
        <Failure key={keyOfFinding(finding)} frame={frame} finding={finding} />
      ))}
      {curl === null ? null : <p class="muted">{curl}</p>}
    </section>
  );
}

function Failure({ frame, finding }: { readonly frame: Frame; readonly finding: Finding }) {
  const { result, label, target } = finding;
  const row = requirements.find((one) => one.id === result.id);
  const { waiver } = result;
  const [first, ...others] = result.violations;
  const about = { frame, target, result };
  return (
    <article class={waiver?.active === true ? 'card waived' : 'card'} id={frame.failureAnchor(result)}>
      <header>
        <h3>{label}</h3>
        <VerdictChip verdict="fail" waived={waiver?.active === true} />
        <span class="muted">tried in {plural(result.cases, 'case')}</span>
      </header>
      {waiver === null ? null : (
        <p class="notice">
          {waiver.active ? 'Waived' : 'The waiver ran out'}: {visible(waiver.reason)} (until{' '}
          {visible(waiver.until)})
        </p>
      )}
      <p class="message">{sentence(visible(first?.message ?? result.reason ?? 'No proof was kept.'))}</p>
      <p class="rule">
        <b>{sentence(clauseWords(result.clause))}</b> {visible(result.rule)}
      </p>
      {first === undefined ? null : <Proof {...about} violation={first} causes={row?.causes ?? null} />}
      {others.length === 0 ? null : (
        <details class="others">
          <summary>{plural(others.length, 'further breach', 'further breaches')} of the same rule</summary>
          {others.map((violation, index) => (
            <div class="violation" key={index}>
              <p class="message">{sentence(visible(violation.message))}</p>
              <Proof {...about} violation={violation} causes={null} />
            </div>
          ))}
        </details>
      )}
    </article>
  );
}

interface ProofProps {
  readonly frame: Frame;
  readonly target: TargetResult;
  readonly result: RequirementResult;
  readonly violation: ViolationRecord;
  /** What usually causes such a breach; null where it is told already, or nothing is known. */
  readonly causes: string | null;
}

function Proof({ frame, target, result, violation, causes }: ProofProps) {
  const { counterexample, exchanges } = violation;
  return (
    <div class="proof-of">
      <div class="against">
        <div class="expected">
          <span>Expected</span>
          <code>{showJson(violation.expected, 2000)}</code>
        </div>
        <div class="actual">
          <span>Came back</span>
          <code>{showJson(violation.actual, 2000)}</code>
        </div>
      </div>
      <div class="case">
        <ExchangeProof
          frame={frame}
          target={target}
          numbers={exchanges}
          marks={marksFor(result, violation)}
          authorization={chapterWord(result.id) === 'authorization'}
        />
        <dl class="aside">
          {causes === null ? null : (
            <div>
              <dt>What usually causes it</dt>
              <dd>{causes}</dd>
            </div>
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
                <ExchangeLinks frame={frame} target={target} numbers={exchanges} />
              </dd>
            </div>
          )}
        </dl>
      </div>
      <div class="curl">
        <button type="button" class="copy" hidden>
          Copy
        </button>
        <Preformatted name="curl line that shows it again">{visible(violation.curl)}</Preformatted>
      </div>
    </div>
  );
}
