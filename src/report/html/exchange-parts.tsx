import { type Header, headerOf } from '../../core/exchange.ts';
import { withCommas } from '../../core/number-format.ts';
import { chapterOf } from '../../core/requirement.ts';
import type { RequirementResult, TargetResult, ViolationRecord } from '../../core/results.ts';
import { keysOf, type Marks } from '../evidence/excerpt.ts';
import { marksFor } from '../evidence/exchange-views.ts';
import type { BodyExcerpt, ExchangeView } from '../report-data.ts';
import { byteWords, excerpt, milliseconds, plural, visible } from '../wording/phrases.ts';
import { usePage } from './page-context.ts';
import { Preformatted } from './parts.tsx';

export const LINKED = 12;

/** The exchanges to link to: the first of those cited (the most relevant one comes first), in ascending order. */
export function linkedOf(numbers: readonly number[]): readonly number[] {
  return numbers.slice(0, LINKED).toSorted((one, other) => one - other);
}

/** Numbers of exchanges, as links into the evidence browser. */
export function ExchangeLinks({
  target,
  numbers,
  total = numbers.length,
}: {
  readonly target: TargetResult;
  /** At least the first ones. */
  readonly numbers: readonly number[];
  readonly total?: number;
}) {
  const { exchange, exchangeAnchor } = usePage();
  const more = total - LINKED;
  return (
    <>
      {linkedOf(numbers).map((number, index) => (
        <span key={number}>
          {index > 0 ? ', ' : ''}
          {exchange(target.name, number) === null ? (
            number
          ) : (
            <a href={`#${exchangeAnchor(target.name, number)}`}>{number}</a>
          )}
        </span>
      ))}
      {more > 0 ? ` and ${withCommas(more)} more` : ''}
    </>
  );
}

export interface ProofProps {
  readonly target: TargetResult;
  readonly result: RequirementResult;
  readonly violation: ViolationRecord;
}

/** Request and answer of the most relevant exchange and, if another one has marked lines, of that one too. */
export function ExchangeProof({ target, result, violation }: ProofProps) {
  const { exchange } = usePage();
  // The same answer may prove other violations, which mark other lines.
  const marks = marksFor(result, violation);
  const numbers = violation.exchanges.slice(0, 6);
  const cited = numbers.flatMap((number) => markedBy(marks, exchange(target.name, number)) ?? []);
  const [first, ...others] = cited;
  if (first === undefined) return null;
  const second = others.find((view) => view.page !== null && isMarked(view));
  const shown = second === undefined ? [first] : [first, second];
  return (
    <div class="exchanges">
      {shown.map((view) => (
        <div class="request" key={view.number}>
          <p class="line">
            <span class="label">Request</span>
            <code>
              <b>{visible(view.request.method)}</b> {excerpt(view.request.target, 600)}
            </code>
          </p>
          {chapterOf(result.id) === 'authorization' ? (
            <p class="line">
              <span class="label">Header</span>
              <AuthorizationSent headers={view.request.headers} />
            </p>
          ) : null}
          {view.request.body === null ? null : (
            <p class="line">
              <span class="label">Body</span>
              <code>{excerpt(view.request.body, 600)}</code>
            </p>
          )}
          <p class="line">
            <span class="label">Answer</span>
            <AnswerHead view={view} />
          </p>
          {view.body === null || view.body.bytes === 0 ? null : <Excerpt body={view.body} />}
        </div>
      ))}
    </div>
  );
}

function AuthorizationSent({ headers }: { readonly headers: readonly Header[] }) {
  const sent = headerOf(headers, 'authorization');
  if (sent === null) return <span>no Authorization header</span>;
  return <code>Authorization: {excerpt(sent, 300)}</code>;
}

// If nothing in the body is marked, the status is wrong, or there was no answer.
function AnswerHead({ view }: { readonly view: ExchangeView }) {
  const words = answerWords(view);
  if (isMarked(view) || view.answer?.status === 200) return <span>{words}</span>;
  const comma = words.indexOf(', ');
  const end = comma < 0 || view.failure !== null ? words.length : comma;
  return (
    <span>
      <b class="fail">{words.slice(0, end)}</b>
      {words.slice(end)}
    </span>
  );
}

/** The head of an answer: `200 OK, application/json, 3 items, 1.2 kB, 4 ms`. */
export function answerWords(view: ExchangeView): string {
  const { answer, failure, page, durationMs } = view;
  if (answer === null) return `no answer: ${visible(failure?.message ?? '')}`;
  const words = [
    `${answer.status} ${visible(answer.statusText)}`.trim(),
    visible(headerOf(answer.headers, 'content-type') ?? 'no content type'),
    byteWords(answer.bodyBytesOnWire),
    page === null ? '' : plural(page.items, 'item'),
    milliseconds(durationMs),
  ];
  return words.filter((word) => word !== '').join(', ');
}

export function Excerpt({ body }: { readonly body: BodyExcerpt }) {
  return (
    <Preformatted class="excerpt" name="excerpt of the answer">
      {body.lines.map((line, index) => {
        if (line.marks.length > 0) return <mark key={index}>{line.text}</mark>;
        return `${line.text}${index < body.lines.length - 1 ? '\n' : ''}`;
      })}
    </Preformatted>
  );
}

/** A view of the same answer in which only the lines of these marks are marked. */
function markedBy(marks: Marks, view: ExchangeView | null): ExchangeView | null {
  if (view === null || view.body === null) return view;
  const keys = keysOf(marks);
  const lines = view.body.lines.map(({ text, marks: all }) => ({
    text,
    marks: all.filter((key) => keys.has(key)),
  }));
  return { ...view, body: { ...view.body, lines } };
}

function isMarked(view: ExchangeView): boolean {
  return view.body?.lines.some((line) => line.marks.length > 0) === true;
}
