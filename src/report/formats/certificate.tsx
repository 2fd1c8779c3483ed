import { createHash } from 'node:crypto';
import { render } from 'preact-render-to-string';
import type { Results, TargetResult } from '../../core/results.ts';
import type { ProveSummary } from '../data.ts';
import { countVerdicts, countWords, isWaived } from '../digest.ts';
import { visible } from '../safe-text.ts';

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

const STYLE = `@page{size:A4;margin:18mm}
body{font:15px/1.45 system-ui,sans-serif;color:#1b1f24;background:#fff;max-width:46rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.9rem;margin:0}h2{font-size:1.15rem;margin:1.4rem 0 .4rem}
.outcome{font-size:1.3rem;font-weight:600;border:2px solid currentColor;padding:.5rem .8rem;margin:1rem 0}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .6rem .25rem 0;border-bottom:1px solid #c5cbd3;vertical-align:top}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:0}dt{color:#4b5563}dd{margin:0;overflow-wrap:anywhere}
code{font-family:ui-monospace,monospace}`;

/** A certificate on one page, self-contained: what was judged, how it came out, and how to check that. */
export function renderCertificate(results: Results, facts: CertificateFacts, unjudged: boolean): string {
  const { run, tool } = results;
  const outcome = results.outcome === 'conformant' && unjudged ? 'inconclusive' : results.outcome;
  const stopped = run.complete ? '' : ' The run was stopped before it was complete.';
  const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={policy} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`Certificate of ${results.targets.map(({ name }) => visible(name)).join(', ')}`}</title>
        {/* The style sheet is ours, without any text of a provider. */}
        <style dangerouslySetInnerHTML={{ __html: STYLE }} />
      </head>
      <body>
        <main>
          <h1>Certificate of conformance test</h1>
          <p class="outcome">
            {OUTCOMES[outcome]}.{stopped}
          </p>
          {results.targets.map((target) => (
            <Provider key={target.name} target={target} />
          ))}
          <h2>Run</h2>
          <dl>
            <dt>Judged on</dt>
            <dd>{`${run.finishedAt.slice(0, 10)} (${run.startedAt} to ${run.finishedAt})`}</dd>
            <dt>Valid</dt>
            <dd>for the provider as it was on that day</dd>
            <dt>Run</dt>
            <dd>{`${visible(run.id)}, suite ${run.suite}, seed ${run.seed}`}</dd>
            <dt>Judged by</dt>
            <dd>{`Assay ${visible(tool.version)}${proofWords(facts.prove)}`}</dd>
            <dt>Digest</dt>
            <dd>
              <code>{shortDigest(facts.digest)}</code>, the beginning of the SHA-256 of results.json
            </dd>
            <dt>Signature</dt>
            <dd>
              {facts.keyId === null
                ? 'none: the run is not signed'
                : `manifest.sig, by the key ${shortDigest(facts.keyId)}; assay verify checks it`}
            </dd>
          </dl>
        </main>
      </body>
    </html>
  );
  return `<!doctype html>\n${render(page)}\n`;
}

function Provider({ target }: { readonly target: TargetResult }) {
  const chapters = [...new Set(target.requirements.map(({ id }) => chapterOf(id)))];
  const lists = Object.entries(target.records).map(
    ([list, records]) => `${visible(list)} (${records === null ? 'not counted' : `${records} records`})`,
  );
  const waived = target.requirements.filter(isWaived);
  return (
    <section>
      <h2>{visible(target.name)}</h2>
      <dl>
        <dt>Token endpoint</dt>
        <dd>{visible(target.authUrl)}/connect/token</dd>
        <dt>Lists</dt>
        <dd>{`${visible(target.baseUrl)}: ${lists.join(', ')}`}</dd>
      </dl>
      <table>
        <thead>
          <tr>
            <th scope="col">Chapter</th>
            <th scope="col">Requirements</th>
          </tr>
        </thead>
        <tbody>
          {chapters.map((chapter) => (
            <tr key={chapter}>
              <th scope="row">{chapter}</th>
              <td>
                {countWords(countVerdicts(target.requirements.filter(({ id }) => chapterOf(id) === chapter)))
                  .map(({ words }) => words)
                  .join(', ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {waived.map(({ id, waiver }) => (
        <p key={id}>{`Waived: ${visible(id)}, until ${waiver?.until}: ${visible(waiver?.reason ?? '')}`}</p>
      ))}
    </section>
  );
}

// The part before the slash; checks of a user's own have chapters that the catalogue does not know.
function chapterOf(id: string): string {
  return visible(id.split('/', 1)[0] ?? id);
}

function proofWords(prove: ProveSummary | null): string {
  if (prove === null) return '; no proof of the harness is at hand';
  return `, proven on ${prove.defects} known defects (${prove.found} found) and ${prove.variants} conforming variants (${prove.false} false alarms)`;
}

/** The first 16 digits of a digest in groups of four, to be compared by eye. */
function shortDigest(digest: string): string {
  return (digest.slice(0, 16).match(/.{4}/g) ?? []).join(' ');
}
