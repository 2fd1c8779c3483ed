const VARIABLE = 'ASSAY_ALLURE';

/** Tells workers that allure-playwright is installed. */
export function useAllure(environment: NodeJS.ProcessEnv): void {
  environment[VARIABLE] = '1';
}

/** Whether tests carry annotations for allure-playwright; without it they would only be noise in other reports. */
export function isAllureInUse(environment: NodeJS.ProcessEnv): boolean {
  return environment[VARIABLE] === '1';
}
