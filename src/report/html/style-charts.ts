/** Styles of charts, with the colours of the page. */
export const chartStyle = `
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 32rem), 1fr)); gap: 1.5rem; }
figure { margin: 0; padding: .9rem 1.1rem 1rem; background: var(--raised); border: 1px solid var(--line); border-radius: .45rem; min-width: 0; }
figure.wide { grid-column: 1 / -1; }
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
figure .broken { --tone: var(--error); }
figure .neutral { --tone: var(--link); }
figure :is(.good, .bad, .odd, .broken, .neutral) { fill: var(--tone); }
.chart .bar { stroke: var(--tone); stroke-width: .5px; fill-opacity: .8; stroke-opacity: .4; }
.chart .page { stroke: var(--raised); stroke-width: .6px; fill-opacity: .88; }
figure .hollow { fill: none; stroke: var(--tone); stroke-width: 1.5px; stroke-dasharray: 3 2; }
.chart .end { stroke: var(--ink); stroke-width: 1.5px; stroke-dasharray: 2 3; }
.chart .end-label { fill: var(--ink); }
.chart .end-label.before { text-anchor: end; }
.chart .trend { stroke: var(--tone); stroke-width: 1.5px; }
.chart .expected, .chart .whisker { stroke: var(--muted); }
.chart .limit { stroke: var(--fail); stroke-dasharray: 5 4; }
.chart .limit-label { fill: var(--fail); }
.chart .box { fill: var(--link); fill-opacity: .45; }
.chart .median { stroke: var(--ink); stroke-width: 2px; }
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
.passed { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem .6rem; }
.sparkline { width: 10rem; height: 1.5rem; overflow: visible; }
.sparkline polyline { fill: none; stroke: var(--link); stroke-width: 2px; }
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
