import { observation } from '../../src/judge/observation.ts';
import { describeTokenAnswers, formWithout } from '../../src/judge/token-variations.ts';
import type { TokenAnswer } from '../../src/provider/token-answer.ts';

export const grantTypeSpelling = observation({
  id: 'observe/grant-type-spelling',
  clause: ['4.1'],
  of: 'What grant_type in other letter case, or with white space around it, obtains.',
  advice:
    'RFC 6749, section 4.4.2 defines the value as client_credentials; clients should send exactly that.',
  scope: 'target',
  asks: true,
  observe: async (context) => {
    const { tokens } = context;
    const spelled = (grantType: string): Promise<TokenAnswer> =>
      tokens.endpoint.ask([['grant_type', grantType], ...formWithout(context, 'grant_type')]);
    const upper = await spelled('CLIENT_CREDENTIALS');
    const spaced = await spelled(' client_credentials ');
    return describeTokenAnswers(context, [
      ['in capitals', upper],
      ['with white space around it', spaced],
    ]);
  },
});
