/**
 * HTML as text, for pages that run no script.
 *
 * @module
 */
import { directionOf } from "../messages/Messages.ts"

/** Escapes text for an element or a quoted attribute. */
export const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/gu, (each) => `&#${each.charCodeAt(0)};`)

/** Escapes text whose direction is its own. */
export const isolated = (text: string): string => `<bdi>${escape(text)}</bdi>`

/** A whole document, in the look of the checkout, whose stylesheet it has. `content` and `title` are HTML. */
export const document = (
  language: string,
  stylesheet: string,
  title: string,
  content: string,
): string => `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8" />
<meta name="referrer" content="no-referrer" />
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
<meta name="color-scheme" content="light dark" />
<meta name="robots" content="noindex" />
<title>${title}</title>
<link rel="icon" href="data:," />
<link rel="stylesheet" href="${stylesheet}" />
</head>
<body>
<main id="page">
${content}
</main>
</body>
</html>
`

/** The rings on the card. */
export const rings = `<svg class="rings" viewBox="0 0 200 200" aria-hidden="true"><circle cx="100" cy="100" r="99" /><circle cx="100" cy="100" r="76" /><circle cx="100" cy="100" r="53" /></svg>`
