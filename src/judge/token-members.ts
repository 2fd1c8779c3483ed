import { Blocked } from '../core/undecided.ts';
import { member } from '../provider/json-reader.ts';
import { kindOf } from '../provider/schemas.ts';
import type { TokenAnswer } from '../provider/token-answer.ts';
export function stringMember(answer: TokenAnswer, name: string): string {
  const value = answer.body.ok ? member(answer.body.value, name) : undefined;
  if (typeof value === 'string') return value;
  throw new Blocked('token/shape', `${name} is ${answer.body.ok ? kindOf(value) : 'not to be had'}`);
}
