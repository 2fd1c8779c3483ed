import type { Steps } from '../steps.ts';
import { gateSteps } from './gate.ts';
import { listSteps } from './list.ts';
import { tokenSteps } from './token.ts';

/** The provider that keeps every rule. */
export const conformingSteps: Steps = {
  ...tokenSteps,
  ...gateSteps,
  ...listSteps,
  respond: (answer) => answer,
  deliver: (answer, response) => {
    response.writeHead(answer.status, { ...answer.headers });
    response.end(answer.body);
  },
};
