// What Playwright finds beside package.json: the checks as tests, for npx playwright test, --ui and VS Code.
export { default } from 'assay/playwright/config';
