import type { Answer, Steps } from '../pipeline.ts';
import { gateSteps } from './gate.ts';
import { listSteps } from './list.ts';
import { tokenSteps } from './token.ts';

// Said aloud, because Node.js would otherwise send every answer in chunks, which takes longer.
function lengthOf({ status, headers, body }: Answer): Readonly<Record<string, number>> {
  if (status === 204 || status === 304 || 'Content-Length' in headers) return {};
  return { 'Content-Length': Buffer.byteLength(body) };
}

/** The provider that keeps every rule. */
export const conformingSteps: Steps = {
  ...tokenSteps,
  ...gateSteps,
  ...listSteps,
  respond: (answer) => answer,
  deliver: (answer, response) => {
    response.writeHead(answer.status, { ...answer.headers, ...lengthOf(answer) });
    response.end(answer.body);
  },
};
