import { packageVersion } from '../../core/package-file.ts';
import { packageDigest } from '../../evidence/seal/package-digest.ts';
import type { Verification } from '../../evidence/seal/verify.ts';
import { plural } from '../../report/wording/phrases.ts';
import { visible } from '../../report/wording/safe-text.ts';
import type { RenderedFiles } from './rendered-files.ts';

/** Problems, a summary, and remarks of a verification, one line each. */
export function verificationText(verification: Verification): string {
  const { problems, keyProblem, notes } = verification;
  const isOnlyKeyWrong = keyProblem !== null && problems.length === 1;
  return [
    ...problems.map((problem) => `${visible(problem)}\n`),
    ...(problems.length === 0 ? [summary(verification)] : []),
    ...(isOnlyKeyWrong ? [unchangedWords(verification)] : []),
    ...notes.map((note) => `${visible(note)}\n`),
  ].join('');
}

/** The result of rendering the files again. */
export function renderedText(
  { same, different, uncompared }: RenderedFiles,
  manifest: Verification['manifest'],
): string {
  const hint =
    manifest?.tool.package === packageDigest() ? '' : '; another build made it, which may render differently';
  return [
    ...(same.length === 0 ? [] : [`Rendered again, identical: ${same.join(', ')}.`]),
    ...different.map((file) => `${file} differs from what the results and the evidence render to${hint}.`),
    ...(uncompared.length === 0 ? [] : [`Not compared: ${uncompared.join(', ')}.`]),
    '',
  ].join('\n');
}

/** Text for a run whose only problem is the given key. */
function unchangedWords({ files, signature }: Verification): string {
  const unchanged = `The files are unchanged: all ${plural(files, 'file')} match the manifest`;
  return signature === 'unsigned'
    ? `${unchanged}. Only a signed run can be verified with --key.\n`
    : `${unchanged}, and that key signed it. If --key names the key you trust, somebody else signed this run.\n`;
}

function summary({ manifest, signature, files }: Verification): string {
  const words = {
    signed: 'signed by the given key',
    unvouched: `signed by the unverified key ${manifest?.signer?.id.slice(0, 16)}; pass the expected key with --key`,
    unsigned: 'not signed, so accidental changes are detected and deliberate ones are not',
  }[signature];
  const id = visible(manifest?.run.id ?? '');
  const lines = [`Run ${id}: ${plural(files, 'file')} unchanged, ${words}.`];
  const made = manifest?.tool;
  if (made !== undefined && made.package !== packageDigest())
    lines.push(
      `It was made by another build of Assay (${visible(made.version)}; this is ${packageVersion()}).`,
    );
  return `${lines.join('\n')}\n`;
}
