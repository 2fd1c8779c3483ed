import { UserError } from '../../../core/user-error.ts';

/** A wrong command line, or a file that it names and that cannot be used. */
export class UsageError extends UserError {
  override readonly name = 'UsageError';
}
