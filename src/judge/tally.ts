import type { LoggedExchange } from '../core/traffic.ts';
import { readQuery } from '../provider/link.ts';
import type { TokenAnswer } from '../provider/token-answer.ts';

/** How often each word occurs. */
export function tally(words: readonly string[]): { [word: string]: number } {
  const counts: { [word: string]: number } = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/** The words of a tally, most frequent first. */
export function words(counts: { readonly [word: string]: number }): string {
  return Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([word]) => word)
    .join(', ');
}

/** What came of several questions in one line: said once where it was the same for all. */
export function outcomesInWords(outcomes: { readonly [question: string]: string }): string {
  const entries = Object.entries(outcomes);
  const distinct = [...new Set(entries.map(([, outcome]) => outcome))];
  if (distinct.length === 1) return distinct[0] ?? '';
  return distinct
    .map((outcome) => {
      const questions = entries.filter(([, its]) => its === outcome).map(([question]) => question);
      return `${outcome} (${questions.join(', ')})`;
    })
    .join('; ');
}

/** Exchanges by a key, in order of first occurrence. */
export function grouped(
  calls: readonly LoggedExchange[],
  by: (call: LoggedExchange) => string,
): Map<string, LoggedExchange[]> {
  const groups = new Map<string, LoggedExchange[]>();
  for (const call of calls) {
    const key = by(call);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [call]);
    else group.push(call);
  }
  return groups;
}

/** Numbers of exchanges, for evidence. */
export function numbers(exchanges: readonly LoggedExchange[]): readonly number[] {
  return exchanges.map(({ number }) => number);
}

/** The value of a query parameter in a request target, `%24` read as `$`; null where it is absent. */
export function parameterIn(target: string, name: string): string | null {
  const question = target.indexOf('?');
  return question < 0
    ? null
    : (readQuery(target.slice(question + 1)).find((parameter) => parameter.name === name)?.value ?? null);
}

/** Exchange numbers of token answers. */
export function numbersOfRight(answers: readonly TokenAnswer[]): readonly number[] {
  return answers.map(({ exchange }) => exchange.number);
}

/** A number of answers with their status, in words. */
export function answersOf(count: number, status: string): string {
  return `${count} ${count === 1 ? 'answer' : 'answers'} of ${status}`;
}
