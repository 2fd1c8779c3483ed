import { createHash } from 'node:crypto';
import type { ComponentChildren } from 'preact';

/** A page without script. Its Content-Security-Policy allows only the style sheet, by its hash. */
export function Page({
  title,
  style,
  children,
}: {
  readonly title: string;
  readonly style: string;
  readonly children: ComponentChildren;
}) {
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={policy} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>{title}</title>
        {/* The style sheet contains no text of a provider. */}
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>{children}</body>
    </html>
  );
}
