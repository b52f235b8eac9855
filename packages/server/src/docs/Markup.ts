/**
 * HTML markup that escapes every inserted value.
 *
 * @module
 */
import * as Html from "../http/Html.ts"

/** Markup that is safe to insert into a page without escaping. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Markup | string | number | ReadonlyArray<Markup>

const textOf = (part: Part): string => {
  if (part instanceof Markup) return part.text
  return typeof part === "object" ? part.map(textOf).join("") : Html.escape(String(part))
}

/** Escapes every inserted value, except values that are markup themselves. */
export const markup = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Markup =>
  new Markup(strings.map((text, index) => text + textOf(parts[index] ?? "")).join(""))

export const nothing = markup``

export const join = (parts: ReadonlyArray<Markup>, separator: string): Markup =>
  new Markup(parts.map(textOf).join(Html.escape(separator)))

/** The anchor of a heading, for links to it. */
export const anchorOf = (heading: string): string =>
  heading.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-")

/** Renders the subset of Markdown that descriptions use: headings, paragraphs, code and emphasis. */
export const inline = (text: string): Markup =>
  new Markup(
    Html.escape(text)
      .replaceAll(/`([^`]+)`/gu, "<code>$1</code>")
      .replaceAll(/\*([^*]+)\*/gu, "<em>$1</em>"),
  )

const block = (text: string): Markup =>
  text.startsWith("## ")
    ? markup`<h2 id="${anchorOf(text.slice("## ".length))}">${text.slice("## ".length)}</h2>`
    : markup`<p>${inline(text)}</p>`

/** Renders paragraphs, headings, and code between lines of three backticks. */
export const prose = (text: string): Markup =>
  join(
    text.split("```").flatMap((part, index) =>
      index % 2 === 1
        ? [sample(part.trim())]
        : part
            .split("\n\n")
            .map((each) => each.trim())
            .filter((each) => each !== "")
            .map(block),
    ),
    "\n",
  )

/** Code to copy: one click selects all of it. */
export const sample = (text: string): Markup =>
  markup`<pre class="sample" tabindex="0"><code>${text}</code></pre>`

export const code = (text: string | number): Markup => markup`<code>${text}</code>`
export const value = (of: unknown): Markup => code(typeof of === "string" ? of : JSON.stringify(of))
