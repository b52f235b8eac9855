/**
 * The stylesheet of the documentation.
 *
 * @module
 */

/** Served at `/docs/style.css`. */
export const text = `:root {
  color-scheme: light dark;
  --text: light-dark(#1c2024, #e6e8eb);
  --faint: light-dark(#5b6470, #9aa4b0);
  --ground: light-dark(#ffffff, #15181c);
  --raised: light-dark(#f3f5f7, #20252b);
  --line: light-dark(#d7dce1, #363d46);
  --link: light-dark(#0b57b0, #7db4ff);
  --mark: light-dark(#fff3c4, #3a3214);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0 auto;
  max-width: 80rem;
  padding: 0 1rem 4rem;
  background: var(--ground);
  color: var(--text);
  font: 1rem/1.55 system-ui, sans-serif;
  overflow-wrap: break-word;
}
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
:target:not(main, section) { border-radius: 4px; background: var(--mark); box-shadow: 0 0 0 0.4rem var(--mark); }
article:target:not(main) { background: none; box-shadow: -0.75rem 0 0 -0.5rem var(--link); }
.skip { position: absolute; left: 1rem; top: -4rem; padding: 0.5rem 1rem; background: var(--raised); }
.skip:focus { top: 0.5rem; }
.name { margin: 1.25rem 0 0.5rem; font-size: 1.25rem; font-weight: 700; }
.name a { color: inherit; text-decoration: none; }
.name small, .faint { color: var(--faint); font-weight: normal; }
header p { margin: 0.5rem 0; }
h1 { margin: 1.5rem 0 1rem; line-height: 1.25; }
h2 { margin: 2.5rem 0 1rem; font-size: 1.3rem; }
article > h2, h1 { padding-bottom: 0.25rem; border-bottom: 1px solid var(--line); }
h3 { margin: 1.5rem 0 0.5rem; }
article { margin-top: 3rem; }
.names a { display: inline-block; margin-right: 1rem; }
.neighbours { display: flex; flex-wrap: wrap; gap: 1rem; justify-content: space-between; margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
code, .method { font: 0.875em/1.5 ui-monospace, monospace; }
td code, p code, li code { padding: 0.1em 0.3em; border-radius: 4px; background: var(--raised); }
td code { overflow-wrap: anywhere; }
pre { padding: 1rem; border-radius: 8px; background: var(--raised); overflow-x: auto; }
.sample code { white-space: pre; user-select: all; }
figure { margin: 0.75rem 0; }
figcaption { color: var(--faint); font-size: 0.8rem; }
figure .sample { margin: 0.25rem 0 0; }
form { display: flex; gap: 0.5rem; max-width: 32rem; }
input[type="search"] { flex: 1; min-width: 0; }
input, button {
  padding: 0.5rem 0.75rem;
  border: 1px solid var(--line);
  border-radius: 8px;
  background: var(--ground);
  color: inherit;
  font: inherit;
}
button { background: var(--raised); cursor: pointer; }
.found { padding-left: 1.25rem; }
.found li { margin: 0.4rem 0; }
.call { padding: 0.5rem 0.75rem; border-radius: 8px; background: var(--raised); overflow-x: auto; }
.method { font-weight: 700; }
.badge { padding: 0.1em 0.5em; border: 1px solid var(--line); border-radius: 1em; font-weight: normal; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td:first-child { min-width: 8rem; }
td:last-child { min-width: 12rem; }
summary { cursor: pointer; padding: 0.25rem 0; }
nav ul { list-style: none; padding-left: 1.25rem; margin: 0.25rem 0; }
nav > details > ul { padding-left: 0; }
nav > details > ul > li > a { display: block; padding: 0.25rem 0.5rem; font-weight: 600; }
nav a[aria-current] { border-radius: 4px; background: var(--raised); color: inherit; }
nav li { margin: 0.25rem 0; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 18rem minmax(0, 1fr); column-gap: 3rem; align-items: start; }
  header, .alone { grid-column: 1 / -1; }
  body > nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 1rem 0.25rem; font-size: 0.875rem; }
  @supports selector(::details-content) {
    summary:is(nav > details > *) { display: none; }
    nav > details::details-content { content-visibility: visible; }
  }
}
`
