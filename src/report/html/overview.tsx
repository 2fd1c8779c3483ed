import { Fragment } from 'preact';
import { groupBy } from '../../core/maps.ts';
import { withCommas } from '../../core/number-format.ts';
import { nameWithList, type RequirementResult, type Results, type TargetResult } from '../../core/results.ts';
import { isOpenFailure } from '../../core/verdict.ts';
import { countVerdicts, findingsOf, findingsWith, isOverview } from '../findings.ts';
import { headline, outcomeCounts, shownOutcome, stampOf, stampStyle } from '../wording/headline.ts';
import {
  byteWords,
  expiryWords,
  INCOMPLETE,
  milliseconds,
  plural,
  recordWords,
  sentence,
  timeWords,
  visible,
} from '../wording/phrases.ts';
import { summaryOf } from '../wording/summary.ts';
import { chapterWord, keyOfFinding, usePage } from './page-context.ts';
import {
  acceptanceOf,
  CountList,
  type Fact,
  FactList,
  NumberCells,
  Section,
  SIGNS,
  Table,
} from './parts.tsx';

const TARGETS_SHOWN = 6;
const CAUSES_SHOWN = 6;

/** The head of the page: the outcome, one line per failure, and the facts of the run. */
export function Overview() {
  const { results, prove } = usePage();
  const requirements = results.targets.flatMap((target) => target.requirements);
  const summary = summaryOf(results);
  return (
    <header class="overview" id="top">
      <div class="hero">
        <div class="verdict">
          <h1 class={`stamp ${stampStyle(results)}`}>{stampOf(results)}</h1>
          <p class="lead">{headline(results)}</p>
          {results.run.complete ? null : <p class="notice">{INCOMPLETE}</p>}
          <CountList counts={countVerdicts(requirements)} />
        </div>
        <Facts />
      </div>
      {summary.length === 0 ? null : (
        <section class="summary" aria-label="Summary">
          <FactList facts={summary} />
        </section>
      )}
      {isOverview(results) ? null : (
        <>
          <Causes />
          <div class="strips">
            {results.targets.map((target) => (
              <Strip key={target.name} target={target} />
            ))}
          </div>
        </>
      )}
      {prove === null ? null : (
        <p class="proof">
          Self-test: {withCommas(prove.found)} of {plural(prove.defects, 'planted defect')} found,{' '}
          {withCommas(prove.false)} false.
        </p>
      )}
    </header>
  );
}

// A single failure follows directly with its proof, so a list of one is redundant.
function Causes() {
  const { results, failureAnchor } = usePage();
  const failures = findingsOf(results, isOpenFailure);
  if (failures.length < 2) return null;
  // Two more lines are shorter than a sentence that leads to them.
  const shown = failures.length <= CAUSES_SHOWN + 2 ? failures : failures.slice(0, CAUSES_SHOWN);
  return (
    <div class="causes">
      <h2>Failures</h2>
      <ol>
        {shown.map((finding) => (
          <li key={keyOfFinding(finding)}>
            <a href={`#${failureAnchor(finding.result)}`}>{finding.label}</a>{' '}
            <span>
              {sentence(visible(finding.result.violations[0]?.message ?? finding.result.reason ?? ''))}
            </span>
          </li>
        ))}
      </ol>
      {failures.length > shown.length ? (
        <p class="muted">
          and {plural(failures.length - shown.length, 'further failure')}, <a href="#failures">all below</a>
        </p>
      ) : null}
    </div>
  );
}

function Facts() {
  const { results } = usePage();
  const { run, targets } = results;
  const shown = isOverview(results) ? [] : targets.slice(0, TARGETS_SHOWN);
  const took = Date.parse(run.finishedAt) - Date.parse(run.startedAt);
  const requests = targets.reduce((sum, { traffic }) => sum + traffic.requests, 0);
  const facts: readonly Fact[] = [
    ...shown.map((target): Fact => ['Target', <TargetFacts key={target.name} target={target} />]),
    ...(targets.length > shown.length ? [['Targets', targetsWords(results, shown.length)] as const] : []),
    [
      'When',
      <Fragment key="when">
        <time dateTime={run.startedAt}>{`${timeWords(run.startedAt, 'second')} UTC`}</time>
        {Number.isFinite(took) ? `, took ${milliseconds(Math.max(0, took))}` : null}
      </Fragment>,
    ],
    ['Suite', `${run.suite}, seed ${run.seed}`],
    ['Traffic', plural(requests, 'request')],
  ];
  return <FactList class="facts" facts={facts} />;
}

function TargetFacts({ target }: { readonly target: TargetResult }) {
  const { results, several } = usePage();
  const { words, style } = shownOutcome(target, results.run.suite);
  return (
    <>
      <b>{visible(target.name)}</b>
      {several ? <span class={`outcome ${style}`}> {words}</span> : null}
      <br />
      <span class="muted">{visible(target.baseUrl)}</span>, {recordWords(target)}
    </>
  );
}

/** `40 in total`, and their outcomes if none of them is shown. */
function targetsWords({ targets, run }: Results, shown: number): string {
  const total = `${withCommas(targets.length)} in total`;
  return shown > 0 ? total : `${total}: ${outcomeCounts(targets, run.suite)}`;
}

/** One tile per verdict, by chapter; each links to its row. */
function Strip({ target }: { readonly target: TargetResult }) {
  const { several } = usePage();
  if (target.requirements.length === 0) return null;
  const chapters = groupBy(target.requirements, ({ id }) => chapterWord(id));
  return (
    <nav class="strip" aria-label={`Every verdict: ${visible(target.name)}`}>
      {several ? <b>{visible(target.name)}</b> : null}
      <ul>
        {[...chapters].map(([chapter, requirements]) => (
          <li key={chapter}>
            <span class="chapter">{visible(chapter)}</span>
            <ul>
              {requirements.map((result) => (
                <Tile key={`${result.id} ${result.resource}`} result={result} />
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Tile({ result }: { readonly result: RequirementResult }) {
  const { rowAnchor } = usePage();
  const acceptance = acceptanceOf(result);
  const words = `${visible(nameWithList(result))}: ${result.verdict}${acceptance === null ? '' : `, ${acceptance}`}`;
  return (
    <li>
      <a
        class={`tile ${acceptance === null ? result.verdict : 'inconclusive'}`}
        href={`#${rowAnchor(result)}`}
        title={words}
      >
        <span aria-hidden="true">{SIGNS[result.verdict]}</span>
        <span class="unseen">{words}</span>
      </a>
    </li>
  );
}

export function Contents({ charts }: { readonly charts: number }) {
  const { results, evidence } = usePage();
  const failed = findingsOf(results, isOpenFailure).length;
  const errors = findingsWith(results, 'error').length;
  const open = findingsWith(results, 'inconclusive').length;
  const many = isOverview(results);
  const observed = results.targets.some(({ observations }) => observations.length > 0);
  const parts: readonly (readonly [id: string, words: string, isShown: boolean])[] = [
    ['targets', `Targets (${withCommas(results.targets.length)})`, many],
    ['failures', `Failed (${withCommas(failed)})`, failed > 0],
    ['errors', `Errors (${withCommas(errors)})`, errors > 0],
    ['inconclusive', `Inconclusive (${withCommas(open)})`, open > 0],
    ['charts', 'Charts', charts > 0],
    ['requirements', 'Requirements', !many],
    ['observations', 'Observations', observed && !many],
    ['traffic', 'Traffic', results.targets.length > 0 && !many],
    ['evidence', 'Evidence', evidence.size > 0],
    ['environment', 'Environment', true],
  ];
  return (
    <nav class="contents" aria-label="Contents">
      <p class="brand">
        <a href="#top">
          <b>Assay</b> <span>conformance report</span>
        </a>
      </p>
      <ul>
        {parts
          .filter(([, , isShown]) => isShown)
          .map(([id, words]) => (
            <li key={id}>
              <a href={`#${id}`}>{words}</a>
            </li>
          ))}
      </ul>
    </nav>
  );
}

export function Environment() {
  const { results } = usePage();
  const { run, tool, targets } = results;
  const rows: readonly (readonly [name: string, value: string])[] = [
    ['Run', run.id],
    ['Command', run.command],
    ['Started', run.startedAt],
    ['Finished', run.finishedAt],
    ['Suite and seed', `${run.suite}, seed ${run.seed}`],
    ['Complete', run.complete ? 'yes' : 'no: not every requirement was tested'],
    // An overview shows the URLs in the table of targets.
    ...(isOverview(results) ? [] : targets).flatMap((target): readonly (readonly [string, string])[] => [
      [`${target.name}: lists`, target.baseUrl],
      [`${target.name}: tokens`, target.authUrl],
      ...(target.expiry === undefined
        ? []
        : [[`${target.name}: expiry`, expiryWords(target.expiry)] as const]),
    ]),
    ['Assay', `${tool.version} on Node ${tool.node}, results in the format ${results.format}`],
  ];
  return (
    <Section id="environment" title="Environment">
      <FactList class="environment" facts={rows.map(([name, value]) => [visible(name), visible(value)])} />
    </Section>
  );
}

const NUMBERS = ['requests', 'retries', 'received', 'median', '95 %', '99 %', 'slowest'];

export function TrafficTable() {
  const { targets } = usePage().results;
  if (targets.length === 0) return null;
  return (
    <Section id="traffic" title="Traffic">
      <p class="muted">All requests of the run, to the token endpoint and to the lists.</p>
      <Table name="Traffic" columns={['target', 'records']} numbers={NUMBERS}>
        {targets.map((target) => {
          const { requests, retries, bytesReceived, latencyMs } = target.traffic;
          return (
            <tr key={target.name}>
              <th scope="row">{visible(target.name)}</th>
              <td>{recordWords(target)}</td>
              <NumberCells
                of={{
                  requests: withCommas(requests),
                  retries: withCommas(retries),
                  received: byteWords(bytesReceived),
                  median: milliseconds(latencyMs.p50),
                  '95 %': milliseconds(latencyMs.p95),
                  '99 %': milliseconds(latencyMs.p99),
                  slowest: milliseconds(latencyMs.max),
                }}
              />
            </tr>
          );
        })}
      </Table>
    </Section>
  );
}
