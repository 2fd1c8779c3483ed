import type { ReportData } from '../report-data.ts';

type Renderer = (data: ReportData) => string | Promise<string>;
type Writer = (data: ReportData, place: string) => Promise<void>;

/** A format of a run. Its module is loaded on demand, so that other runs do not pay for it. */
interface FormatEntry {
  readonly file: string;
  /** Content-Type for browsers; null for a folder. */
  readonly mediaType: string | null;
  readonly help: string;
  /** Whether it contains evidence of all targets, even in an overview. */
  readonly needsAllEvidence?: true;
  /** Renders the text of the file; writes nothing. */
  readonly renderer?: () => Promise<Renderer>;
  /** Writes the file or folder, if it is not a single text. */
  readonly writer?: () => Promise<Writer>;
}

/** Every format, in writing order; formats that need a browser come last. */
const TABLE = {
  html: {
    file: 'report.html',
    mediaType: 'text/html; charset=utf-8',
    help: 'people; always written',
    renderer: async () => (await import('./html.tsx')).renderHtml,
  },
  junit: {
    file: 'junit.xml',
    mediaType: 'application/xml; charset=utf-8',
    help: 'the test pages of CI systems; checks run in parallel, so a suite takes as long as its longest case, and all suites as long as the run',
    renderer: async () => (await import('./junit.ts')).renderJunit,
  },
  markdown: {
    file: 'summary.md',
    mediaType: 'text/plain; charset=utf-8',
    help: 'pull requests and chats',
    renderer: async () => (await import('./markdown.ts')).renderMarkdown,
  },
  sarif: {
    file: 'results.sarif',
    mediaType: 'application/json; charset=utf-8',
    help: 'code scanning: one result per violation, suppressed where it is waived; the properties of the run count the other verdicts',
    renderer: async () => (await import('./sarif.ts')).renderSarif,
  },
  csv: {
    file: 'requirements.csv',
    mediaType: 'text/csv; charset=utf-8',
    help: 'spreadsheets',
    renderer: async () => (await import('./csv.ts')).renderCsv,
  },
  allure: {
    file: 'allure-results',
    mediaType: null,
    help: '`allure generate`; the same from `assay run` and from Playwright, and each requirement keeps its identity, so that Allure shows a history. `ASSAY_CLAUSE_URL`, such as `https://spec.example/#{clause}`, is where its links to clauses lead',
    needsAllEvidence: true,
    writer: async () => (await import('./allure.ts')).writeAllure,
  },
  har: {
    file: 'evidence.har',
    mediaType: 'application/json; charset=utf-8',
    help: 'the network tab of a browser',
    writer: async () => (await import('./har.ts')).writeHar,
  },
  pdf: {
    file: 'report.pdf',
    mediaType: 'application/pdf',
    help: 'printing; needs Chromium and `npm install @playwright/test`',
    writer: async () => (await import('./pdf.ts')).writePdfReport,
  },
} as const satisfies Readonly<Record<string, FormatEntry>>;

/** A format of a run; results.json and report.html are always written. */
export type Format = keyof typeof TABLE;

/** Every format, in writing order. */
export const FORMATS = Object.keys(TABLE) as readonly Format[];

export const TEXT_FORMATS = FORMATS.filter((format) => 'renderer' in TABLE[format]);

/** The formats that `--format` lists: all except those always written. */
export const OPTIONAL_FORMATS = FORMATS.filter((format) => format !== 'html');

export function formatEntry(format: Format): FormatEntry {
  return TABLE[format];
}

export function fileOf(format: Format): string {
  return TABLE[format].file;
}
