import { headerOf } from '../../src/core/exchange.ts';
import { bearerIn, countValues, isCallOfSpecification, observation } from '../../src/judge/observation.ts';

export const contentType = observation({
  id: 'observe/content-type',
  clause: ['2.3'],
  of: 'Content-Type of token answers and list answers. Needs attention unless it is JSON.',
  advice:
    'RFC 8259, section 11: the media type of JSON is application/json; some clients read no other type.',
  scope: 'list',
  observe: ({ listExchanges, tokenExchanges, tokens, target }) => {
    // An answer in another type may be what another Accept header, or a call without a token, asks for.
    const normal = listExchanges.filter(
      (call) => isCallOfSpecification(call, target) && tokens.history.isIssued(bearerIn(call) ?? ''),
    );
    const answered = [...normal, ...tokenExchanges].filter(({ status }) => status === 200);
    if (answered.length === 0) return null;
    const types = countValues(
      answered.map(({ answer }) => headerOf(answer?.headers ?? [], 'content-type') ?? 'none'),
    );
    const odd = Object.keys(types).filter((type) => !/^application\/([^\s;/]+\+)?json\b/i.test(type));
    return { value: Object.keys(types).join(', '), attention: odd.length > 0, detail: { types } };
  },
});
