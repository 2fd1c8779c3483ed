import type { ExchangeView } from '../report-data.ts';
import { excerpt, visible } from '../safe-text.ts';

/** An exchange as plain text: both heads, the request body, and an excerpt of the answer body. */
export function answerLines(view: ExchangeView): string {
  const request = [
    `${visible(view.method)} ${visible(view.requestTarget)}`,
    ...view.requestHeaders.map(([name, value]) => `${visible(name)}: ${excerpt(value, 2000)}`),
    ...(view.requestBody === null ? [] : ['', excerpt(view.requestBody, 4000)]),
  ];
  const answer =
    view.failure !== null
      ? [`no answer: ${visible(view.failure.message)}`]
      : [
          `HTTP/${visible(view.httpVersion)} ${view.status} ${visible(view.statusText)}`,
          ...view.headers.map(([name, value]) => `${visible(name)}: ${excerpt(value, 2000)}`),
          '',
          ...(view.body?.lines.map((line) => `${line.mark ? '>' : ' '} ${line.text}`) ?? []),
        ];
  return `${[...request, '', ...answer].join('\n')}\n`;
}
