import type { Answer, Steps } from '../pipeline.ts';
import { gateSteps } from './gate.ts';
import { listSteps } from './list.ts';
import { tokenSteps } from './token.ts';

// Without Content-Length, Node.js sends every answer in chunks, which takes longer.
function lengthOf({ status, headers, body }: Answer): Readonly<Record<string, number>> {
  if (status === 204 || status === 304 || 'Content-Length' in headers) return {};
  return { 'Content-Length': Buffer.byteLength(body) };
}

/** The provider that conforms to every requirement. */
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
