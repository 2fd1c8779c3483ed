import { headerOf } from '../../src/core/exchange.ts';
import { countValues, observation } from '../../src/judge/observation.ts';

export const compression = observation({
  id: 'observe/compression',
  clause: ['4.2'],
  of: 'Which Content-Encoding is offered when gzip and br are accepted.',
  advice: 'RFC 9110, section 12.5.3: lists of records compress well; gzip saves most of their bytes.',
  scope: 'list',
  observe: ({ listExchanges }) => {
    const answered = listExchanges.filter(
      ({ status, request }) => status === 200 && headerOf(request.headers, 'accept-encoding') !== 'identity',
    );
    if (answered.length === 0) return null;
    const codings = countValues(
      answered.map(({ answer }) => headerOf(answer?.headers ?? [], 'content-encoding') ?? 'none'),
    );
    return { value: Object.keys(codings).join(', '), detail: { codings } };
  },
});
