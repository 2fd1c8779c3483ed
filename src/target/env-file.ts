import { statSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { FileRefusedError, readRegularFile } from '../core/regular-file.ts';
import { describeSystemError } from '../core/system-error.ts';
import { TargetError } from './error.ts';

const MAX_BYTES = 1_048_576;

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables that a target file can read: those of the process, then those of the environment file.
 *
 * @param given the environment file named by the user; null for `.env` in the folder of the target file,
 * which may be missing
 * @throws TargetError if the file cannot be read
 */
export function environmentOf(targetFile: string, env: Environment, given: string | null): Environment {
  const file = given ?? path.join(path.dirname(targetFile), '.env');
  // A folder named .env is common: Python stores virtual environments in it.
  const exists = given !== null || statSync(file, { throwIfNoEntry: false })?.isDirectory() === false;
  return exists ? withEnvFile(env, file) : env;
}

/**
 * Adds the variables of an environment file to an environment. Existing variables take precedence.
 *
 * @throws TargetError if the file cannot be read; the message contains none of its values
 */
export function withEnvFile(env: Environment, file: string): Environment {
  return { ...parseEnv(readText(file)), ...env };
}

function readText(file: string): string {
  try {
    const bytes = readRegularFile(file, MAX_BYTES);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new TargetError([`the environment file ${file} cannot be read: ${problemOf(error)}`]);
  }
}

function problemOf(error: unknown): string {
  if (error instanceof FileRefusedError) return error.message;
  return error instanceof TypeError ? 'it is not UTF-8 text' : describeSystemError(error);
}
