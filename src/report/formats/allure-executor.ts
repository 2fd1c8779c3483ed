import type { ExecutorInfo } from 'allure-js-commons/sdk';
import type { Results } from '../../core/results.ts';
import { stampOf } from '../headline.ts';
import { visible } from '../safe-text.ts';

/** Names and values of environment variables. */
type Environment = Readonly<Record<string, string | undefined>>;

/** The CI system that ran Assay, from its environment variables; Assay itself outside of CI. */
export function executorOf(results: Results, env: Environment): ExecutorInfo {
  const { run } = results;
  const common = { reportName: `Assay: ${stampOf(results)}` };
  if (env['GITHUB_ACTIONS'] === 'true') {
    const repository = `${env['GITHUB_SERVER_URL'] ?? ''}/${env['GITHUB_REPOSITORY'] ?? ''}`;
    return {
      ...common,
      name: 'GitHub Actions',
      type: 'github',
      ...order(env['GITHUB_RUN_NUMBER']),
      buildName: `${env['GITHUB_WORKFLOW'] ?? 'workflow'} #${env['GITHUB_RUN_NUMBER'] ?? ''}`,
      buildUrl: `${repository}/actions/runs/${env['GITHUB_RUN_ID'] ?? ''}`,
    };
  }
  if (env['GITLAB_CI'] === 'true') {
    return {
      ...common,
      name: 'GitLab CI',
      type: 'gitlab',
      ...order(env['CI_PIPELINE_IID']),
      buildName: `${env['CI_JOB_NAME'] ?? 'job'} #${env['CI_PIPELINE_IID'] ?? ''}`,
      buildUrl: env['CI_JOB_URL'] ?? '',
    };
  }
  if (env['JENKINS_URL'] !== undefined) {
    return {
      ...common,
      name: 'Jenkins',
      type: 'jenkins',
      ...order(env['BUILD_NUMBER']),
      buildName: env['BUILD_TAG'] ?? env['JOB_NAME'] ?? 'build',
      buildUrl: env['BUILD_URL'] ?? '',
    };
  }
  return { ...common, name: 'Assay', type: 'assay', buildName: visible(run.id) };
}

function order(text: string | undefined): { readonly buildOrder?: number } {
  return /^\d{1,9}$/u.test(text ?? '') ? { buildOrder: Number(text) } : {};
}
