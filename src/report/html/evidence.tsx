import type { Header } from '../../core/exchange.ts';
import type { Results } from '../../core/results.ts';
import type { ExchangeView } from '../report-data.ts';
import { byteWords, excerpt, milliseconds, plural, visible } from '../wording/phrases.ts';
import { answerWords, Excerpt, linkedOf } from './exchange-parts.tsx';
import { usePage } from './page-context.ts';
import { Section } from './parts.tsx';

const FOLD = 100;
/** Most characters of heads and bodies on a page, in addition to those of cited exchanges. */
const BUDGET = 400_000;

/** Which part of the page links to an exchange. */
type Cited = 'proof' | 'observation' | 'nothing';

interface Shown {
  readonly view: ExchangeView;
  readonly cited: Cited;
  /** False if only one line is shown to limit the size of the page. */
  readonly full: boolean;
  /** An earlier exchange with the same body; null if the body is shown here. */
  readonly sameBodyAs: number | null;
}

/** Requests and answers in foldable groups of a hundred; a repeated body is shown once. */
export function EvidenceBrowser() {
  const { evidence } = usePage();
  const total = [...evidence.values()].reduce((sum, list) => sum + list.length, 0);
  if (total === 0) return null;
  return (
    <Section id="evidence" title="Evidence">
      <p class="muted">
        {plural(total, 'exchange')}, secrets removed. Bodies are excerpts here; evidence.ndjson.gz next to
        this report has them whole.
      </p>
      {[...evidence.keys()].map((target) => (
        <TargetEvidence key={target} target={target} />
      ))}
    </Section>
  );
}

function TargetEvidence({ target }: { readonly target: string }) {
  const { results, evidence, several } = usePage();
  const list = evidence.get(target) ?? [];
  const shown = planDisplay(list, citedOf(results, target), BUDGET / evidence.size);
  const folds = Array.from({ length: Math.ceil(shown.length / FOLD) }, (_, index) =>
    shown.slice(index * FOLD, (index + 1) * FOLD),
  );
  return (
    <div class="browser">
      {several ? <h3>{visible(target)}</h3> : null}
      {folds.map((fold) => {
        const numbers = `${fold[0]?.view.number} to ${fold.at(-1)?.view.number}`;
        const cited = fold.filter((one) => one.cited !== 'nothing').length;
        return (
          <details class={cited > 0 ? 'fold has-cited' : 'fold'} key={numbers}>
            <summary>
              Exchanges {numbers}
              {cited > 0 ? <span class="muted">, {cited} of them cited above</span> : null}
            </summary>
            {fold.map((one) => (
              <ExchangeDetails key={one.view.number} target={target} shown={one} />
            ))}
          </details>
        );
      })}
    </div>
  );
}

interface ExchangeProps {
  readonly target: string;
  readonly shown: Shown;
}

function ExchangeDetails({ target, shown }: ExchangeProps) {
  const { view, cited, full } = shown;
  const { request, answer } = view;
  const id = usePage().exchangeAnchor(target, view.number);
  const line = (
    <>
      <b>{view.number}</b> {visible(request.method)} <code>{excerpt(request.target, full ? 300 : 120)}</code>{' '}
      <span class={statusClass(view)}>{answer?.status ?? view.failure?.code ?? 'no answer'}</span>{' '}
      <span class="muted">
        {milliseconds(view.durationMs)}
        {view.retry > 0 ? `, retry ${view.retry}` : ''}
      </span>
    </>
  );
  if (!full)
    return (
      <p class={EXCHANGE[cited]} id={id}>
        {line}
      </p>
    );
  return (
    <details class={EXCHANGE[cited]}>
      <summary>{line}</summary>
      {/* A link to this element opens the surrounding details elements, with and without script. */}
      <div class="heads" id={id}>
        {head('Request', `${request.method} ${request.target}`, request.headers)}
        {request.body === null ? null : <pre>{excerpt(request.body, 2000)}</pre>}
        <p class="muted">
          {new Date(view.startedAt).toISOString()}, {answerWords(view)}
          {view.connection === null ? '' : `, connection ${view.connection}`}
        </p>
        {answer === null
          ? null
          : head(
              'Answer',
              `HTTP/${answer.httpVersion} ${answer.status} ${answer.statusText}`,
              answer.headers,
            )}
        <BodyOf target={target} shown={shown} />
      </div>
    </details>
  );
}

function head(title: string, first: string, headers: readonly Header[]) {
  const lines = [
    excerpt(first, 2000),
    ...headers.map(([name, value]) => `${visible(name)}: ${excerpt(value, 400)}`),
  ];
  return (
    <pre class="head">
      <span class="label">{title}</span>
      {`\n${lines.join('\n')}`}
    </pre>
  );
}

function BodyOf({ target, shown: { view, sameBodyAs } }: ExchangeProps) {
  const { exchangeAnchor } = usePage();
  if (view.body === null || view.body.bytes === 0) return null;
  if (sameBodyAs !== null)
    return (
      <p class="muted">
        The body equals that of <a href={`#${exchangeAnchor(target, sameBodyAs)}`}>exchange {sameBodyAs}</a>.
      </p>
    );
  return (
    <>
      <Excerpt body={view.body} />
      {view.body.isCut ? (
        <p class="muted">An excerpt of {byteWords(view.body.bytes)}, secrets removed.</p>
      ) : null}
    </>
  );
}

function statusClass({ answer }: ExchangeView): string {
  if (answer === null || answer.status >= 500) return 'error';
  return answer.status >= 400 ? 'inconclusive' : 'pass';
}

const EXCHANGE = { proof: 'exchange cited', observation: 'exchange observed', nothing: 'exchange' } as const;

/** Which parts of the page link to which exchange of a target. */
function citedOf({ targets }: Results, name: string): (number: number) => Cited {
  const target = targets.find((one) => one.name === name);
  const violations = target?.requirements.flatMap((one) => one.violations) ?? [];
  const proofs = new Set(violations.flatMap(({ exchanges }) => linkedOf(exchanges)));
  const observed = new Set(target?.observations.flatMap(({ exchanges }) => linkedOf(exchanges)));
  return (number) => (proofs.has(number) ? 'proof' : observed.has(number) ? 'observation' : 'nothing');
}

function planDisplay(
  list: readonly ExchangeView[],
  citedBy: (number: number) => Cited,
  budget: number,
): readonly Shown[] {
  const bodies = new Map<string, number>();
  const remaining = { proof: budget, observation: budget / 4, nothing: budget };
  return list.map((view) => {
    const cited = citedBy(view.number);
    const key = view.body?.key ?? '';
    const sameBodyAs = bodies.get(key) ?? null;
    const size = sizeOf(view, sameBodyAs === null);
    const full = size <= remaining[cited];
    if (full) remaining[cited] -= size;
    if (full && key !== '' && sameBodyAs === null) bodies.set(key, view.number);
    return { view, cited, full, sameBodyAs };
  });
}

function sizeOf({ request, answer, body: shownBody }: ExchangeView, withBody: boolean): number {
  const heads = [...request.headers, ...(answer?.headers ?? [])].reduce(
    (sum, [name, value]) => sum + name.length + Math.min(value.length, 400) + 4,
    Math.min(request.target.length, 2000) * 2 + (request.body?.length ?? 0),
  );
  const body = withBody ? (shownBody?.lines.reduce((sum, { text }) => sum + text.length + 8, 0) ?? 0) : 0;
  return 700 + heads + body;
}
