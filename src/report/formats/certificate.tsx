import { createHash } from 'node:crypto';
import { render } from 'preact-render-to-string';
import type { Results } from '../../core/results.ts';
import type { ProveSummary } from '../data.ts';
import { findingsOf, isWaived } from '../digest.ts';
import { visible } from '../safe-text.ts';
import { coveredWords, plural } from '../words.ts';
import { OneProvider, SeveralProviders } from './certificate/providers.tsx';
import { CERTIFICATE_STYLE } from './certificate/style.ts';

/** What a certificate says beside the results. */
export interface CertificateFacts {
  /** SHA-256 of results.json, in hexadecimal. */
  readonly digest: string;
  /** What names the key that signs the run; null where none does. */
  readonly keyId: string | null;
  /** How the harness itself was proven; null where no proof is at hand. */
  readonly prove: ProveSummary | null;
}

const OUTCOMES = {
  conformant: 'Conformant',
  'non-conformant': 'Not conformant',
  inconclusive: 'Not certified: something was left unjudged',
  error: 'Not certified: the certification could not be carried out',
} as const;

/** A certificate on one page, self-contained: what was judged, how it came out, and how to check that. */
export function renderCertificate(results: Results, facts: CertificateFacts, unjudged: boolean): string {
  const outcome = results.outcome === 'conformant' && unjudged ? 'inconclusive' : results.outcome;
  const stopped = results.run.complete ? '' : ' The run was stopped before it was complete.';
  const hash = createHash('sha256').update(CERTIFICATE_STYLE).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const [first, ...more] = results.targets;
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={policy} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`Certificate of ${results.targets.map(({ name }) => visible(name)).join(', ')}`}</title>
        {/* The style sheet is ours, without any text of a provider. */}
        <style dangerouslySetInnerHTML={{ __html: CERTIFICATE_STYLE }} />
      </head>
      <body>
        <main>
          <h1>Certificate of conformance test</h1>
          <p class="outcome">
            {OUTCOMES[outcome]}
            {outcome === 'conformant' ? waiverWords(results) : ''}.{stopped}
          </p>
          {first !== undefined && more.length === 0 ? (
            <OneProvider target={first} />
          ) : (
            <SeveralProviders targets={results.targets} />
          )}
          <h2>How it was judged</h2>
          <Run results={results} facts={facts} />
        </main>
      </body>
    </html>
  );
  return `<!doctype html>\n${render(page)}\n`;
}

function Run({ results, facts }: { readonly results: Results; readonly facts: CertificateFacts }) {
  const { run, tool } = results;
  return (
    <dl>
      <dt>Date</dt>
      <dd>{`${run.finishedAt.slice(0, 10)}, ${clock(run.startedAt)} to ${clock(run.finishedAt)} UTC`}</dd>
      <dt>Validity</dt>
      <dd>{validity(results)}</dd>
      <dt>Scope</dt>
      <dd>{`suite ${run.suite}: ${scopeWords(results)}`}</dd>
      <dt>Harness</dt>
      <dd>{`Assay ${visible(tool.version)}, ${proofWords(facts.prove)}`}</dd>
      <dt>Run</dt>
      <dd>{`${visible(run.id)}, seed ${run.seed}`}</dd>
      <dt>Signature</dt>
      <dd>
        {facts.keyId === null
          ? 'none: the run is not signed'
          : `manifest.sig, by the key ${shortDigest(facts.keyId)}`}
      </dd>
      <dt>Digest</dt>
      <dd>
        <code class="digest">{shortDigest(facts.digest)}</code>
        <br />
        <span class="note">
          the beginning of the SHA-256 of results.json; assay verify checks it and every other file
        </span>
      </dd>
    </dl>
  );
}

function scopeWords({ run, targets }: Results): string {
  const judged = targets.reduce((sum, { requirements }) => sum + requirements.length, 0);
  const every = run.suite === 'certify' ? ', every page size from 1 to 500 that the records allow' : '';
  return `${plural(judged, 'requirement')} of ${plural(targets.length, 'provider')}${every}`;
}

function waiverWords(results: Results): string {
  const waived = findingsOf(results, isWaived).length;
  return waived === 0 ? '' : `, but for ${coveredWords(waived)}`;
}

// A failure that a waiver covers is one again when the waiver ends.
function validity({ run, targets }: Results): string {
  const ends = targets.flatMap(({ requirements }) =>
    requirements.flatMap((one) => (isWaived(one) && one.waiver !== null ? [one.waiver.until] : [])),
  );
  const [until] = ends.toSorted();
  const asItWas = `for the provider as it was on ${run.finishedAt.slice(0, 10)}`;
  return until === undefined ? asItWas : `${asItWas}, until ${visible(until)}, when a waiver ends`;
}

function proofWords(prove: ProveSummary | null): string {
  if (prove === null) return 'without a proof of this build';
  return `proven on ${plural(prove.defects, 'planted defect')} (${prove.found} found) and ${plural(prove.variants, 'conforming variant')} (${plural(prove.false, 'false alarm')})`;
}

function clock(moment: string): string {
  return moment.slice(11, 19);
}

/** The first 16 digits of a digest in groups of four, to be compared by eye. */
function shortDigest(digest: string): string {
  return (digest.slice(0, 16).match(/.{4}/g) ?? []).join(' ');
}
