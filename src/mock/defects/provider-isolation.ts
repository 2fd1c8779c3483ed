import { type Defect, type DefectDraft, type Difficulty, defectsOf } from '../defect.ts';
import { wrap } from '../pipeline.ts';
import type { Client } from '../provider-options.ts';

function isolation(
  difficulty: Difficulty,
  words: string,
  crossing: (client: Client, owner: Client, first: Client) => boolean,
): DefectDraft {
  return {
    sentence: `A token is issued for ${words}.`,
    keywords: ['provider'],
    must: ['token/provider-isolation'],
    may: ['token/secret'],
    needs: { otherCredentials: true },
    difficulty,
    apply: wrap('secretAccepted', (accepted) => (client, given, service) => {
      if (accepted(client, given, service)) return true;
      const owner = service.clients.find((one) => one.clientSecret === given);
      return owner !== undefined && owner !== client && crossing(client, owner, service.credentials);
    }),
  };
}

/** Defects of the separation of two providers' credentials. */
export const providerIsolationDefects: readonly Defect[] = defectsOf({
  'isolation-none': isolation(
    'plain',
    'the client_id of one provider with the secret of another',
    () => true,
  ),
  'isolation-first-with-second-secret': isolation(
    'subtle',
    'the first provider with the secret of the second provider, but not the reverse',
    (client, _owner, first) => client === first,
  ),
  'isolation-second-with-first-secret': isolation(
    'subtle',
    'the second provider with the secret of the first provider, but not the reverse',
    (client, _owner, first) => client !== first,
  ),
});
