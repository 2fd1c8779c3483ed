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
