import { isPartial, untested } from '../core/conclusion.ts';
import { isCustomCheck } from '../core/requirement-id.ts';
import { type Product, type Results, type TargetResult, testsReferenceProvider } from '../core/results.ts';
import { isWaived } from '../core/verdict.ts';
import { findingsOf } from './findings.ts';
import { renderDocument } from './html/document.tsx';
import { Columns, FactList } from './html/parts.tsx';
import type { ProveSummary } from './report-data.ts';
import { certifySentence, headline, REFERENCE_NOTICE } from './wording/headline.ts';
import { expiryWords, plural, visible } from './wording/phrases.ts';

/** The style sheet of certificate.html: an A4 page for a provider, light in every theme. */
const CERTIFICATE_STYLE = `@page{size:A4;margin:16mm 16mm 14mm}
*{box-sizing:border-box}
body{font:14px/1.4 system-ui,sans-serif;color:#1b1f24;background:#fff;max-width:46rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}
h1{font-size:1.8rem;margin:0}h2{font-size:1.1rem;margin:1.1rem 0 .35rem}
.outcome{font-size:1.3rem;font-weight:600;border:2px solid currentColor;padding:.45rem .8rem;margin:.8rem 0}
table{border-collapse:collapse;width:100%;margin-top:.6rem}
th,td{text-align:left;padding:.25rem .7rem .25rem 0;border-bottom:1px solid #c5cbd3;vertical-align:top;overflow-wrap:anywhere}
th{white-space:nowrap}
dl{display:grid;grid-template-columns:7.5rem 1fr;gap:.2rem 1rem;margin:0}dl>div{display:contents}dt{color:#4b5563}dd{margin:0;overflow-wrap:anywhere}
.note{color:#4b5563}
code{font-family:ui-monospace,monospace;font-size:.92em}
.verdicts{display:grid;grid-template-columns:1fr 1fr;gap:0 1.5rem;align-items:start}.verdicts th,.verdicts td{font-weight:400;padding:.12rem .5rem .12rem 0;white-space:normal}
.verdicts thead th,.verdicts td:last-child{overflow-wrap:normal}.verdicts tbody th{min-width:7rem}
@media screen and (max-width:36rem){dl,.verdicts{grid-template-columns:1fr;gap:0}th{white-space:normal}}
@media print{body{margin:0;padding:0;max-width:none;font-size:9pt}h1{font-size:15pt}.outcome{font-size:12pt;margin:.4rem 0}}`;

interface CertificateFacts {
  /** SHA-256 of results.json, in hexadecimal. */
  readonly digest: string;
  /** Identifier of the key that signs the run; null if it is not signed. */
  readonly keyId: string | null;
  /** The self-test of this build; null if it has none. */
  readonly prove: ProveSummary | null;
}

const SPECIFICATION =
  'Integration API: token authentication and server-side pagination (sections 1 to 9, list path /v1)';

/** A certificate, self-contained, on one page for a single provider: what was tested, the result, and how to verify it. */
export function renderCertificate(results: Results, facts: CertificateFacts): string {
  const content = (
    <main>
      <h1>Certificate of conformance test</h1>
      <p class="outcome">{outcomeOf(results)}</p>
      <Issue results={results} facts={facts} />
      {results.targets.map((target) => (
        <Provider key={target.name} target={target} isAlone={results.targets.length === 1} />
      ))}
      <h2>How it was tested</h2>
      <FactList
        facts={[
          ['Scope', `suite ${results.run.suite}: ${scopeWords(results)}`],
          ['Harness', `Assay ${visible(results.tool.version)}${proofWords(facts.prove)}`],
          ['Seed', results.run.seed],
        ]}
      />
    </main>
  );
  const title = `Certificate of ${results.targets.map(({ name }) => visible(name)).join(', ')}`;
  return renderDocument({ title, style: CERTIFICATE_STYLE, content });
}

/** The heading of the certificate: `Conformant` alone only if every requirement, and every custom check, passed. */
function outcomeOf(results: Results): string {
  const stopped = results.run.complete ? '' : ' The run was stopped before it was complete.';
  if (results.outcome === 'error' || isPartial(results))
    return `Not certified: ${headline(results)}${stopped}`;
  const waived = findingsOf(results, (one) => isCustomCheck(one) && isWaived(one)).length;
  const agreed =
    waived === 0
      ? ''
      : ` ${plural(waived, 'failure')} of a custom check ${waived === 1 ? 'is' : 'are'} waived.`;
  const remarks = `${agreed}${stopped}${testsReferenceProvider(results) ? ` ${REFERENCE_NOTICE}` : ''}`;
  const failed = results.outcome === 'non-conformant' ? 'Not conformant. ' : '';
  if (untested(results).length > 0) return `${failed}${certifySentence(results)}${remarks}`;
  if (results.outcome === 'conformant') return remarks === '' ? 'Conformant' : `Conformant.${remarks}`;
  return `${failed || 'Not certified. '}Every requirement passed, but a custom check did not.${remarks}`;
}

function Issue({ results, facts }: { readonly results: Results; readonly facts: CertificateFacts }) {
  const { run } = results;
  const signer = facts.keyId && <code>{grouped(facts.keyId)}</code>;
  const digest = (
    <>
      <code>{grouped(facts.digest)}</code>
      <br />
      <span class="note">SHA-256 of results.json; assay verify checks it and every other file</span>
    </>
  );
  return (
    <FactList
      facts={[
        ['Number', visible(run.id)],
        ...(run.issuer === undefined ? [] : [['Issuer', visible(run.issuer)] as const]),
        ['Specification', SPECIFICATION],
        ['Date', `${run.finishedAt.slice(0, 10)}, ${clock(run.startedAt)} to ${clock(run.finishedAt)} UTC`],
        ['Validity', validity(results)],
        [
          'Signature',
          signer === null ? 'none: the run is not signed' : <>manifest.sig, by the key {signer}</>,
        ],
        ['Digest', digest],
      ]}
    />
  );
}

function scopeWords({ run, targets }: Results): string {
  const ids = new Set(targets.flatMap(({ requirements }) => requirements.map(({ id }) => id)));
  const custom = [...ids].filter((id) => isCustomCheck({ id })).length;
  const own = custom === 0 ? '' : ` and ${plural(custom, 'custom check')}`;
  const every = run.suite === 'certify' ? ', every page size from 1 to 500 that the records allow' : '';
  return `${plural(ids.size - custom, 'requirement')}${own} of ${plural(targets.length, 'provider')}${every}`;
}

// A waived failure counts again after the waiver ends.
function validity({ run, targets }: Results): string {
  const waived = targets.flatMap(({ requirements }) => requirements.filter(isWaived));
  const [until] = waived.map(({ waiver }) => waiver.until).toSorted();
  const scope = `for the provider as it was on ${run.finishedAt.slice(0, 10)}`;
  return until === undefined ? scope : `${scope}, until ${visible(until)}, when a waiver ends`;
}

function proofWords(prove: ProveSummary | null): string {
  if (prove === null) return '';
  return `, proven on ${plural(prove.defects, 'planted defect')} (${prove.found} found) and ${plural(prove.variants, 'conforming variant')} (${plural(prove.false, 'false alarm')})`;
}

function clock(moment: string): string {
  return moment.slice(11, 19);
}

/** A digest in groups of eight characters, which are easier to compare. */
function grouped(digest: string): string {
  return (digest.match(/.{1,8}/g) ?? []).join(' ');
}

function Provider({ target, isAlone }: { readonly target: TargetResult; readonly isAlone: boolean }) {
  const { product, expiry } = target;
  return (
    <section>
      <h2>{visible(target.name)}</h2>
      <FactList
        facts={[
          ...(isAlone ? [] : [['Outcome', certifiedWords(target)] as const]),
          ...(product === undefined ? [] : [['Product', productWords(product)] as const]),
          ['Token endpoint', `${visible(target.authUrl)}/connect/token`],
          ['Lists', `${visible(target.baseUrl)}: ${listWords(target)}`],
          ...(expiry === undefined ? [] : [['Expiry', expiryWords(expiry)] as const]),
        ]}
      />
      <Verdicts target={target} />
      <Waivers target={target} />
    </section>
  );
}

/** A row for each requirement, in two columns that fit a page. */
function Verdicts({ target }: { readonly target: TargetResult }) {
  const { requirements } = target;
  const lists = new Set(requirements.map(({ resource }) => resource).filter((list) => list !== null));
  const half = Math.ceil(requirements.length / 2);
  return (
    <div class="verdicts">
      {[requirements.slice(0, half), requirements.slice(half)].map((part, index) => (
        <table key={index === 0 ? 'first' : 'second'}>
          <Columns columns={['Requirement', 'Clause', 'Verdict']} />
          <tbody>
            {part.map((one) => (
              <tr key={`${one.id} ${one.resource}`}>
                <th scope="row">
                  {withBreaks(visible(one.id))}
                  {lists.size > 1 && one.resource !== null ? ` (${visible(one.resource)})` : ''}
                </th>
                <td>{visible(one.clause.join(', '))}</td>
                <td>{isWaived(one) ? 'fail, waived' : one.verdict}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </div>
  );
}

/** An identifier that may be broken after each slash. */
function withBreaks(id: string) {
  const [first, ...others] = id.split('/');
  return [first, ...others.flatMap((part) => ['/', <wbr key={part} />, part])];
}

/** `Conformant` only if every requirement passed. */
function certifiedWords({ requirements }: TargetResult): string {
  const passed = requirements.filter(({ verdict }) => verdict === 'pass').length;
  return passed === requirements.length ? 'Conformant' : `${passed} of ${requirements.length} passed`;
}

function Waivers({ target }: { readonly target: TargetResult }) {
  return target.requirements
    .filter(isWaived)
    .map(({ id, resource, waiver }) => (
      <p key={`${id} ${resource}`}>
        {`Waived: ${visible(id)}, until ${waiver.until}: ${visible(waiver.reason)}`}
      </p>
    ));
}

function productWords({ name, version }: Product): string {
  return `${visible(name)}, version ${visible(version)}`;
}

function listWords({ records }: TargetResult): string {
  return Object.entries(records)
    .map(([list, count]) => `${visible(list)} (${count === null ? 'not counted' : plural(count, 'record')})`)
    .join(', ');
}
