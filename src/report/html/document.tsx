import { hash } from 'node:crypto';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Results } from '../../core/results.ts';
import { visible } from '../wording/phrases.ts';
import { style as reportStyle } from './style.ts';

interface DocumentProps {
  readonly title: string;
  /** The style sheet of all reports by default. */
  readonly style?: string;
  readonly script?: string;
  /** Whether the page receives events from its server. */
  readonly connects?: boolean;
  readonly content: VNode;
}

/**
 * The text of a page that works from disk and loads nothing. Its Content-Security-Policy allows only Assay's style sheet
 * and script, by their hashes. The page is complete without the script.
 */
export function renderDocument(props: DocumentProps): string {
  return `<!doctype html>\n${renderToString(<Document {...props} />)}\n`;
}

function Document({ title, style = reportStyle, script, connects = false, content }: DocumentProps) {
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
    ...(connects ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={policy} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>{title}</title>
        {/* Style sheet and script contain no text of a provider. */}
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        {content}
        {script === undefined ? null : <script dangerouslySetInnerHTML={{ __html: script }} />}
      </body>
    </html>
  );
}

function hashOf(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}

export function Footer({ results: { tool, run } }: { readonly results: Results }) {
  return (
    <footer>
      Assay {visible(tool.version)}, seed {run.seed}, run {visible(run.id)}
    </footer>
  );
}
