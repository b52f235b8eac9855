/**
 * The response for an address where nothing is: a page for people, and a problem for programs, whose addresses begin with
 * `/v1`, `/pages/v1` or `/operator/v1`, or who prefer JSON.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import * as Effect from "effect/Effect"
import type { EdgeSettings } from "../edge/EdgeSettings.ts"
import * as Problems from "../edge/Problems.ts"
import * as Accept from "../http/Accept.ts"
import type * as Exchange from "../http/Exchange.ts"
import * as Mount from "../http/Mount.ts"
import * as Site from "./Site.ts"

/** The page of a service that serves no hosted pages, in the look of the documentation. */
const plain = (below: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Page not found</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${below}/docs/style.css">
</head>
<body>
<main class="alone">
<h1>Page not found</h1>
<p>There is nothing at this address. Check it, or see the <a href="${below}/docs">API reference</a>.</p>
</main>
</body>
</html>
`

const isOfPrograms = (path: string): boolean => /^\/(?:pages\/|operator\/)?v1(?:\/|$)/u.test(path)

/** What the payer's browser says about the payer's languages. */
export const readerOf = ({ header, query }: Exchange.Incoming): HostedPage.Reader => ({
  search: query,
  languages: Accept.ranked(header("accept-language") ?? ""),
})

const page = (body: string, frameAncestors: ReadonlyArray<string> = []) => ({
  ...Site.response(
    body,
    frameAncestors,
    { ...Site.scriptless, "img-src": "data:" },
    { vary: "Accept, Accept-Language", "cross-origin-opener-policy": "same-origin" },
  ),
  status: 404,
})

/** Makes the function that responds. */
export const make = ({
  pages,
  publicUrl,
}: Pick<EdgeSettings["Service"], "pages" | "publicUrl">) => {
  const fallback = plain(Mount.pathOf(publicUrl))
  return (incoming: Exchange.Incoming, requestId: string): Effect.Effect<Exchange.Outgoing> => {
    const problem = Problems.nowhere(requestId)
    if (isOfPrograms(incoming.path)) return Effect.succeed(problem)
    if (!Accept.prefersHtml(incoming.header("accept") ?? "")) {
      return Effect.succeed({ ...problem, headers: { ...problem.headers, vary: "Accept" } })
    }
    if (pages === null) return Effect.succeed(page(fallback))
    return Effect.tryPromise(() => pages.site.notFound(readerOf(incoming))).pipe(
      Effect.orElseSucceed(() => fallback),
      Effect.map((body) => page(body, pages.frameAncestors)),
    )
  }
}
