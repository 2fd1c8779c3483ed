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
  .against, .summary, .causes, .reasons > li, figure, tr, .request, h2 + p { break-inside: avoid; }
  h2, h2 + p, h3, caption, .card > header, .card .message, .rule, thead, tr.chapter { break-after: avoid; }
  .scroll { overflow: visible; }
  .charts { gap: .8rem; }
  table { font-size: 8pt; }
  th, td { padding-right: .5rem; }
  td.number, th.number { padding-left: .3rem; }
  .matrix, .observations, .targets { min-width: 0; }
  .of-target { width: 20%; }
  .of-outcome, .of-tallies { width: 15%; }
  .of-number { width: 7%; }
  .of-requirement { width: 25%; }
  .of-verdict { width: 15%; }
  .of-cases, .of-time { width: 7%; }
  .of-requests { width: 9%; }
  .of-observation { width: 36%; }
  .of-evidence { width: 15%; }
  .observations details:not([open]) { display: none; }
  summary { list-style: none; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;

/** Styles of failures and their proof. */
export const failureStyle = `
.causes { margin-top: 1.1rem; padding: .7rem 1.1rem .8rem; background: var(--raised); border: 1px solid var(--line); border-left: .25rem solid var(--fail); border-radius: .4rem; }
.causes h2 { margin: 0 0 .3rem; padding: 0; border: 0; font-size: .95rem; }
.causes ol { margin: 0; padding: 0; list-style: none; }
.causes li { display: grid; grid-template-columns: 15.5rem 1fr; gap: 1rem; padding: .25rem 0; border-top: 1px solid var(--line); }
.causes li:first-child { border-top: 0; }
.causes li a { font: 600 .84rem/1.75 var(--mono); }
.card {
  margin: 0 0 1.25rem; padding: .9rem 1.25rem 1.1rem; background: var(--raised); border: 1px solid var(--line);
  border-left: .25rem solid var(--fail); border-radius: .4rem;
}
.card.waived { border-left-color: var(--inconclusive); }
.card > header { display: flex; flex-wrap: wrap; gap: .2rem .8rem; align-items: baseline; }
.card > header .muted { font-size: .9rem; }
.card h3 { font-family: var(--mono); font-size: .98rem; }
.message { margin: .4rem 0; }
.card .message { font-size: 1.1rem; line-height: 1.4; font-weight: 600; }
.rule { margin: .3rem 0 0; color: var(--muted); font-size: .94rem; }
.rule b { color: var(--ink); font-weight: 600; margin-right: .35rem; }
.against { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; margin: .75rem 0; }
.against > div { padding: .35rem .8rem .45rem; border-radius: .35rem; }
.against span { display: block; font-size: .78rem; font-weight: 600; }
.against code { font-size: .94rem; color: var(--ink); }
.expected { background: var(--pass-tint); color: var(--pass); }
.actual { background: var(--fail-tint); color: var(--fail); }
.case { display: grid; grid-template-columns: minmax(0, 2.1fr) minmax(0, 1fr); gap: .75rem 1.5rem; }
.case > :only-child { grid-column: 1 / -1; }
.exchanges { display: grid; grid-template-columns: minmax(0, 1fr); gap: .9rem; align-content: start; }
.line { display: grid; grid-template-columns: 3.6rem 1fr; gap: .6rem; margin: 0 0 .15rem; align-items: baseline; font-size: .92rem; }
.label { color: var(--muted); font-size: .84rem; }
.excerpt, .text, .head, .heads > pre {
  padding: .55rem .8rem; background: var(--sunk); border: 1px solid var(--line); border-radius: .35rem;
}
.excerpt { margin-top: .35rem; max-height: 26rem; overflow: auto; }
.excerpt pre { white-space: pre; }
.excerpt code { font-size: .8rem; }
.excerpt mark {
  display: block; white-space: pre-wrap; color: var(--fail); background: var(--fail-tint); font-weight: 650;
  box-shadow: -.8rem 0 var(--fail-tint), .8rem 0 var(--fail-tint), inset .2rem 0 var(--fail); margin-left: -.5rem; padding-left: .5rem;
}
.aside { display: grid; grid-template-columns: minmax(0, 1fr); gap: .7rem; align-content: start; margin: 0; font-size: .92rem; }
.aside dt { font-size: .84rem; }
.curl { position: relative; margin-top: .75rem; }
.curl .text { padding-right: 5.2rem; }
.copy {
  position: absolute; top: .4rem; right: .4rem; font: .82rem/1.5 var(--sans); padding: .1rem .7rem; cursor: pointer;
  color: var(--ink); background: var(--raised); border: 1px solid var(--edge); border-radius: .3rem;
}
.violation { border-top: 1px solid var(--line); margin-top: .8rem; padding-top: .4rem; }
.others { margin-top: .8rem; }
`;

/** Styles of charts, with the colours of the page. */
export const chartStyle = `
.charts { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.5rem; }
figure { margin: 0; padding: .9rem 1.1rem 1rem; background: var(--raised); border: 1px solid var(--line); border-radius: .45rem; min-width: 0; }
figcaption { margin: 0 0 .6rem; }
figcaption b { display: block; }
figcaption span { color: var(--muted); font-size: .92rem; }
.chart {
  display: block; box-sizing: content-box; width: calc(100% - 4.5rem); overflow: visible;
  padding: 1.8rem 1.3rem 2.6rem 3.2rem; font-size: .74rem; fill: var(--muted);
}
.chart.long-labels { width: calc(100% - 6.5rem); padding-left: 5.2rem; }
.chart text.x { text-anchor: middle; }
.chart text.y { text-anchor: end; }
.chart .y-title { text-anchor: start; transform: translateX(-2rem); }
.chart.long-labels .y-title { transform: translateX(-4.2rem); }
.chart .grid { stroke: var(--line); }
.mark { overflow: visible; }
figure .good { --tone: var(--pass); }
figure .bad { --tone: var(--fail); }
figure .odd { --tone: var(--inconclusive); }
figure .neutral { --tone: var(--link); }
figure :is(.good, .bad, .odd, .neutral) { fill: var(--tone); }
.chart .page { stroke: var(--raised); stroke-width: .6px; fill-opacity: .88; }
figure .hollow, .chart .page.hollow { fill: none; stroke: var(--tone); stroke-width: 1.5px; stroke-dasharray: 3 2; }
.chart .end { stroke: var(--ink); stroke-width: 1.5px; stroke-dasharray: 2 3; }
.chart .end-label { fill: var(--ink); }
.chart .end-label.before { text-anchor: end; }
.chart .trend { stroke: var(--tone); stroke-width: 1.5px; }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; margin: 0 0 .2rem; padding: 0; list-style: none; font-size: .82rem; }
.legend li { display: flex; align-items: center; gap: .35rem; }
.chart-key { width: .8rem; height: .8rem; overflow: visible; flex: none; }
figure details { margin-top: .5rem; font-size: .9rem; }
figure .scroll { max-height: 20rem; overflow: auto; margin: .4rem 0 0; }
.heat { width: auto; }
.heat th, .heat td { padding: .12rem .3rem; border: 0; }
.heat thead th { text-align: center; }
.heat thead th:first-child { text-align: left; }
.heat thead time { display: block; writing-mode: vertical-rl; transform: rotate(180deg); margin: 0 auto .2rem; font-weight: 500; white-space: nowrap; }
.heat thead a { display: inline-block; }
.heat tbody th { padding-right: 1rem; font-weight: 500; white-space: nowrap; }
.heat .cell { width: 1.5rem; min-width: 1.5rem; text-align: center; font-weight: 700; font-size: .8rem; border: 2px solid var(--paper); border-radius: .35rem; }
.cell-pass, .outcome-conformant { background: var(--pass-tint); color: var(--pass); }
.cell-fail, .outcome-non-conformant { background: var(--fail); color: var(--paper); }
.cell-error, .outcome-error { background: var(--error); color: var(--paper); }
.cell-inconclusive, .cell-waived, .outcome-inconclusive { background: var(--inconclusive-tint); color: var(--inconclusive); }
.cell-skipped { background: var(--skipped-tint); color: var(--skipped); }
.heat .outcomes th { font-weight: 700; }
.charts-of { margin: 1.5rem 0 .8rem; }
`;
