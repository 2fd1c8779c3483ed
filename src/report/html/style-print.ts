/** Styles for printing. */
export const printStyle = `
@media print {
  :root { color-scheme: light; --paper: #ffffff; --raised: #ffffff; }
  @page { margin: 16mm 14mm; }
  html { font-size: 9.5pt; }
  main, .overview, body > footer { max-width: none; padding: 0; }
  .contents { position: static; padding: 0; border: 0; }
  .contents .brand span { display: inline; }
  .contents ul, .filter, .copy, .skip-link, .browser, figure details { display: none !important; }
  .hero { grid-template-columns: 1.15fr 1fr; gap: 1rem 1.5rem; padding-top: .3rem; }
  .stamp { font-size: 16pt; white-space: nowrap; }
  .against { grid-template-columns: 1fr 1fr; }
  .case { grid-template-columns: minmax(0, 2fr) minmax(0, 1fr); }
  .excerpt { max-height: none; }
  .excerpt pre { white-space: pre-wrap; }
  .curl .text { padding-right: .8rem; }
  .against, .summary, .causes, .reasons > li, figure, tr, .request { break-inside: avoid; }
  h2, h3, .card > header, .card .message, .rule, thead, tr.chapter { break-after: avoid; }
  .scroll { overflow: visible; }
  .charts { grid-template-columns: 1fr 1fr; gap: .8rem; }
  table { font-size: 8pt; }
  th, td { padding-right: .5rem; }
  td.number, th.number { padding-left: .3rem; }
  .matrix, .observations, .targets, .across { min-width: 0; }
  .of-target { width: 20%; }
  .of-outcome, .of-tallies { width: 15%; }
  .of-number { width: 7%; }
  .of-requirement { width: 27%; }
  .of-verdict { width: 13%; }
  .of-cases, .of-requests, .of-time { width: 9%; }
  .of-observation { width: 36%; }
  .of-evidence { width: 15%; }
  .chip { white-space: normal; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
