import { headerOf } from '../../../core/exchange.ts';
import type { TargetResult } from '../../../core/results.ts';
import type { BodyExcerpt, ExchangeView } from '../../data.ts';
import { excerpt, visible } from '../../safe-text.ts';
import { byteWords, milliseconds } from '../../words.ts';
import type { Frame } from './frame.ts';
import { Preformatted } from './scroll.tsx';

interface ProofProps {
  readonly frame: Frame;
  readonly target: TargetResult;
  readonly numbers: readonly number[];
}

/** What was asked and what came back, for the telling exchange and, where both are marked, the one beside it. */
export function ExchangeProof({ frame, target, numbers }: ProofProps) {
  const cited = numbers.slice(0, 6).flatMap((number) => frame.exchange(target, number) ?? []);
  const [first, ...others] = cited;
  if (first === undefined) return null;
  const second = others.find((view) => view.page !== null && isMarked(view));
  const shown = second === undefined ? [first] : [first, second];
  return (
    <div class="exchanges">
      {shown.map((view) => (
        <div class="asked" key={view.number}>
          <p class="line">
            <span class="label">Asked</span>
            <code>
              <b>{visible(view.method)}</b> {excerpt(view.requestTarget, 600)}
            </code>
          </p>
          {view.requestBody === null ? null : (
            <p class="line">
              <span class="label">Sent</span>
              <code>{excerpt(view.requestBody, 600)}</code>
            </p>
          )}
          <p class="line">
            <span class="label">Answer</span>
            <span>{answerWords(view)}</span>
          </p>
          {view.body === null || view.body.bytes === 0 ? null : <Excerpt body={view.body} />}
        </div>
      ))}
    </div>
  );
}

/** An answer's head in words: `200 OK, application/json, 3 items, 1.2 kB, 4 ms`. */
export function answerWords(view: ExchangeView): string {
  if (view.failure !== null) return `no answer: ${visible(view.failure.message)}`;
  const words = [
    `${view.status} ${visible(view.statusText)}`.trim(),
    visible(headerOf(view.headers, 'content-type') ?? 'no content type'),
    view.body === null ? '' : byteWords(view.body.bytes),
    view.page === null ? '' : `${view.page.items.toLocaleString('en-US')} items`,
    milliseconds(view.durationMs),
  ];
  return words.filter((word) => word !== '').join(', ');
}

/** Lines of a body, the offending ones marked. */
export function Excerpt({ body }: { readonly body: BodyExcerpt }) {
  return (
    <Preformatted class="excerpt" name="excerpt of the answer">
      {body.lines.map((line, index) => {
        if (line.mark) return <mark key={index}>{line.text}</mark>;
        return `${line.text}${index < body.lines.length - 1 ? '\n' : ''}`;
      })}
    </Preformatted>
  );
}

function isMarked(view: ExchangeView): boolean {
  return view.body?.lines.some((line) => line.mark) === true;
}
