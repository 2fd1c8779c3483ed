import type { RequirementResult, ViolationRecord } from '../core/results.ts';
import { isOpenFailure } from '../core/verdict.ts';
import { printableLine } from '../core/visible-text.ts';
import { comparedWords, styled } from '../report/wording/phrases.ts';

/** Characters of a value in a message, at most. */
const MAX_VALUE = 1000;

export function isFailure(result: RequirementResult): boolean {
  return result.verdict === 'error' || isOpenFailure(result);
}

/** A violation as Playwright prints a failed expectation; reporters remove the colours where nobody sees them. */
function violationText(violation: ViolationRecord): string {
  const { expected, actual } = comparedWords(violation, MAX_VALUE);
  const values = [
    ...(expected === undefined ? [] : [`Expected: ${styled('green', expected)}`]),
    ...(actual === undefined ? [] : [`Received: ${styled('red', actual)}`]),
  ];
  return [
    printableLine(violation.message),
    ...(values.length === 0 ? [] : ['', ...values, '']),
    `  ${printableLine(violation.curl)}`,
  ].join('\n');
}

export function violationError(violation: ViolationRecord): Error {
  return errorWithoutStack('fail', violationText(violation));
}

/** The error with which a test fails: all violations, or why the check could not be carried out. */
export function failureOf({ verdict, violations, reason }: RequirementResult): Error {
  const message =
    verdict === 'fail'
      ? violations.map(violationText).join('\n\n')
      : printableLine(reason ?? 'the check could not be carried out');
  return errorWithoutStack(verdict, message);
}

/** An error that is shown by its message alone: a stack trace into Assay does not help to find a fault of the provider. */
export function errorWithoutStack(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  error.stack = `${name}: ${message}`;
  return error;
}
