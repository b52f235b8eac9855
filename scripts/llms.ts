/**
 * Renders llms.txt and llms-full.txt, from which coding agents read: the list of the pages of docs/, and their texts.
 *
 * @module
 */
import { readFileSync } from "node:fs"

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

interface Page {
  /** From the root of the repository. */
  readonly path: string
  readonly about: string
}

/** The rows of the second table of docs/README.md. */
const pages = (): ReadonlyArray<Page> => {
  const rows = read("docs/README.md").matchAll(
    /^\| \[[^\]]+\]\((?<path>[^)]+)\) +\| (?<about>.+?) +\|$/gmu,
  )
  return Array.from(rows, ({ groups }) => {
    const path = groups?.["path"] ?? ""
    const about = (groups?.["about"] ?? "").replace("; generated", "")
    return { path: path.startsWith("../") ? path.slice("../".length) : `docs/${path}`, about }
  })
}

const starts: ReadonlyArray<Page> = [
  { path: "docs/quick-start-developer.md", about: "embed Florin in your Node server" },
  { path: "docs/quick-start-operator.md", about: "run the service" },
  { path: "docs/quick-start-wallet.md", about: "pay from your wallet" },
]

const titleOf = ({ path }: Page): string =>
  /^# (?<title>.+)$/mu.exec(read(path))?.groups?.["title"] ?? path

const line = (page: Page): string => `- [${titleOf(page)}](${page.path}): ${page.about}`

const summary =
  "Florin is a crypto payment service in TypeScript: a payer's wallet pays a merchant in stablecoins. Run it as a service, or embed it in a Node server with its tables in your own PostgreSQL database."

/** What a developer needs who calls, embeds or runs the service: the texts of all pages are too long to read at once. */
const full = new Set(
  [
    "api",
    "wallet-guide",
    "embedding-in-a-page",
    "tables",
    "testing",
    "adapters",
    "command-line",
  ].map((name) => `docs/${name}.md`),
)

export const render = (): string =>
  [
    "# Florin",
    "",
    `> ${summary}`,
    "",
    "The newest OpenAPI document is in docs/openapi. A running service has its own at `/openapi.json`, and as pages at `/docs`.",
    "",
    "## Start",
    "",
    ...starts.map(line),
    "",
    "## Pages",
    "",
    ...pages().map(line),
    "",
  ].join("\n")

export const renderFull = (): string => {
  const own = [...starts, ...pages().filter(({ path }) => full.has(path))]
  const texts = own.map(({ path }) => `<!-- ${path} -->\n\n${read(path).trim()}\n`)
  return [`# Florin\n\n> ${summary}\n`, ...texts].join("\n")
}
