/**
 * A real Chromium, and tabs in it that notice what no page of ours may do: call another host, break its own content
 * security policy, log an error, open a dialog, or run what somebody else wrote.
 *
 * @module
 */
import { afterAll, assert, beforeAll, onTestFinished } from "@effect/vitest"
import chromium from "@sparticuz/chromium"
import axe from "axe-core"
import * as Schema from "effect/Schema"
import {
  type Browser as Chromium,
  type BrowserContext,
  chromium as playwright,
  type Page,
} from "playwright-core"

/** What a payer's screen is like. */
export interface Look {
  readonly device: "desktop" | "phone"
  readonly scheme: "dark" | "light"
}

const usual: Look = { device: "phone", scheme: "light" }

export const looks: ReadonlyArray<Look> = [
  { device: "phone", scheme: "light" },
  { device: "phone", scheme: "dark" },
  { device: "desktop", scheme: "light" },
  { device: "desktop", scheme: "dark" },
]

const viewports = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
}

export interface Tab {
  readonly context: BrowserContext
  readonly page: Page
  /** Every address that was asked for, in order. */
  readonly asked: ReadonlyArray<string>
  /** Fails where anything was noticed that no page may do, or where axe finds a fault in what is shown now. */
  readonly check: () => Promise<void>
}

/**
 * A refusal by the service is an answer like any other, and a request that was cut off here is known already: that
 * Chromium writes either down is no fault of the page.
 */
const isKnown = (text: string): boolean =>
  /^Failed to load resource: (?:the server responded with a status of 4\d\d |net::ERR_FAILED)/u.test(
    text,
  )

const Violations = Schema.Array(
  Schema.Struct({
    id: Schema.String,
    nodes: Schema.Array(Schema.Struct({ html: Schema.String, failureSummary: Schema.String })),
  }),
)
const readViolations = Schema.decodeUnknownSync(Violations)

/** Runs past the page's policy, as a debugger does. */
const violations = async (page: Page) => {
  await page.evaluate(axe.source)
  const found: unknown = await page.evaluate(
    "axe.run().then(({ violations }) => JSON.parse(JSON.stringify(violations)))",
  )
  return readViolations(found).flatMap(({ id, nodes }) =>
    nodes.map(({ failureSummary, html }) => `${id}: ${html}: ${failureSummary}`),
  )
}

/** Whoever runs a hostile text (see `Hostile.ts`) is noticed, in every frame. */
const trapped = `Object.defineProperty(window, "florinTrap", {
  configurable: true,
  get: () => console.error("a hostile text ran"),
})`

/** Opens a tab in which only these origins may be called; at its test's end nothing may have been noticed. */
const open = async (
  browser: Chromium,
  origins: ReadonlyArray<string>,
  { device, scheme }: Look = usual,
): Promise<Tab> => {
  const context = await browser.newContext({
    colorScheme: scheme,
    isMobile: device === "phone",
    reducedMotion: "reduce",
    viewport: viewports[device],
  })
  const asked: Array<string> = []
  const noticed: Array<string> = []
  await context.addInitScript(trapped)
  await context.route("**/*", (route) => {
    const url = route.request().url()
    asked.push(url)
    if (origins.includes(new URL(url).origin)) return route.continue()
    noticed.push(`called another host: ${url}`)
    return route.abort()
  })
  context.on("console", (message) => {
    if (message.type() === "error" && !isKnown(message.text())) noticed.push(message.text())
  })
  context.on("weberror", (error) => noticed.push(String(error.error())))
  context.on("dialog", (dialog) => {
    noticed.push(`opened a dialog: ${dialog.message()}`)
    return dialog.dismiss()
  })
  onTestFinished(async () => {
    await context.close()
    assert.deepStrictEqual(noticed, [])
  })
  const page = await context.newPage()
  return {
    context,
    page,
    asked,
    check: async () => {
      assert.deepStrictEqual(await violations(page), [])
      assert.deepStrictEqual(noticed, [])
    },
  }
}

/** Its security is that of a payer's browser, except that its processes are not walled off from this machine. */
const launch = async (): Promise<Chromium> =>
  playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ["--headless=shell", "--no-sandbox", "--disable-gpu", "--font-render-hinting=none"],
  })

/** One browser for all tests of a file; answers how to open a tab. */
export const inFile = () => {
  let browser: Chromium | undefined
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser?.close())
  return (origins: ReadonlyArray<string>, look?: Look): Promise<Tab> =>
    browser === undefined ? assert.fail("no browser was started") : open(browser, origins, look)
}
