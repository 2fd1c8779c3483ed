/** The part of the style sheet that is about pictures; their colours are those of the page, dark and light. */
export const chartStyle = `
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 32rem), 1fr)); gap: 1.5rem; }
figure { margin: 0; padding: .9rem 1.1rem 1rem; background: var(--raised); border: 1px solid var(--line); border-radius: .45rem; min-width: 0; }
figure.wide { grid-column: 1 / -1; }
figcaption { margin: 0 0 .6rem; }
figcaption b { display: block; }
figcaption span { color: var(--muted); font-size: .92rem; }
figure svg { display: block; width: 100%; height: auto; color: var(--ink); }
figure details { margin-top: .5rem; font-size: .9rem; }
figure .scroll { max-height: 20rem; overflow: auto; margin: .4rem 0 0; }
.heat { width: auto; }
.heat th, .heat td { padding: .12rem .3rem; border: 0; }
.heat thead th { text-align: center; }
.heat thead th:first-child { text-align: left; }
.heat tbody th { padding-right: 1rem; font-weight: 500; white-space: nowrap; }
.heat .cell { width: 1.5rem; min-width: 1.5rem; text-align: center; font-weight: 700; font-size: .8rem; border: 2px solid var(--paper); border-radius: .35rem; }
.cell-pass, .outcome-conformant { background: var(--pass-tint); color: var(--pass); }
.cell-fail, .outcome-non-conformant { background: var(--fail); color: var(--paper); }
.cell-error, .outcome-error { background: var(--error); color: var(--paper); }
.cell-inconclusive, .cell-waived, .outcome-inconclusive { background: var(--inconclusive-tint); color: var(--inconclusive); }
.cell-skipped { background: var(--skipped-tint); color: var(--skipped); }
.heat .outcomes th { font-weight: 700; }
.pictures-of { margin: 1.5rem 0 .8rem; }
`;
