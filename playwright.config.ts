// What Playwright and its extension for VS Code look for in a checkout; an installed Assay has the compiled one.
export { default } from './src/playwright/config.ts';
