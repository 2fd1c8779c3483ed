import type { Intrusion } from './access.ts';
import type { CheckContext } from './context.ts';
/** The same of other calls of the list by turns: a gate may look at the token on some of them only. */
export function elsewhere({ list }: CheckContext, index: number, intrusion: Intrusion): Intrusion {
  const query = ELSEWHERE[index % ELSEWHERE.length];
  if (query === undefined || query === '') return intrusion;
  return {
    ...intrusion,
    asked: `of ${list.path}${query} ${intrusion.asked}`,
    call: { ...intrusion.call, target: list.path + query },
  };
}

export const ELSEWHERE = ['', '?$count=true', '?$count=true&$pagesize=1&$skip=1'];
