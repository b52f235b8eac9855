/**
 * A real Chromium, and tabs in it that notice what no page of ours may do: call another host, break its own content
 * security policy, log an error, open a dialog, or run what somebody else wrote.
 *
 * @module
 */
import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { mkdtemp, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, onTestFinished, type TestContext } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import * as Schema from "effect/Schema"
import {
  type Browser as Chromium,
  type BrowserContext,
  chromium as playwright,
  type Page,
} from "playwright-core"

const viewports = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
}

/** How long anything is waited for: a machine with much else to do still gets there. */
export const patienceInMs = 120_000

export const devices = ["desktop", "phone"] as const
export type Device = (typeof devices)[number]

export interface Tab {
  readonly context: BrowserContext
  readonly page: Page
  /** Every address that was asked for, in order. */
  readonly asked: ReadonlyArray<string>
  /** What was noticed until now that no page may do. A test that is about it takes it out. */
  readonly noticed: Array<string>
  /**
   * Fails if anything was noticed, if what is shown now is wider than the screen, or if its text is percent-encoded.
   * Fails if axe finds a fault in it, where it is this page's turn.
   */
  readonly check: () => Promise<void>
  /** The same, and it is the page's turn. */
  readonly checkWhole: () => Promise<void>
}

/**
 * A refusal by the service is a response like any other, and a request that was cut off here is known already: Chromium
 * writes both down, and neither is a fault of the page. WalletConnect's client rejects promises that nobody can catch
 * when a message comes for a session that has just ended.
 */
const isKnown = (text: string): boolean =>
  /^Failed to load resource: (?:the server responded with a status of 4\d\d |net::ERR_FAILED)/u.test(
    text,
  ) ||
  /^(?:Uncaught \(in promise\) )?Error: (?:Missing or invalid\. Record was recently deleted - session|No matching key\. keychain):/u.test(
    text,
  )

const Violations = Schema.Array(
  Schema.Struct({
    id: Schema.String,
    nodes: Schema.Array(Schema.Struct({ html: Schema.String, failureSummary: Schema.String })),
  }),
)
const readViolations = Schema.decodeUnknownSync(Violations)

/** A third of the bytes that `axe.source` has, which each page reads anew. */
const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8")

/** Runs past the page's policy, as a debugger does, in every frame. */
const violations = async (page: Page) => {
  await Promise.all(
    page.frames().map(async (frame) => {
      if (await frame.evaluate("window.axe === undefined")) await frame.evaluate(axe)
    }),
  )
  const found: unknown = await page.evaluate(
    "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => JSON.parse(JSON.stringify(violations)))",
  )
  return readViolations(found).flatMap(({ id, nodes }) =>
    nodes.map(({ failureSummary, html }) => `${id}: ${html}: ${failureSummary}`),
  )
}

/**
 * Of the pages that are checked, axe looks at one in three, as it takes more of the processor than all else that a page
 * does. The run's seed says at which, so that each gets its turn; with full counts it looks at all.
 */
const turns = [0, 1, 2] as const
const [turn] = Counts.some(turns, 1)
let checks = 0
const isAxeDue = (): boolean => Counts.full || checks++ % turns.length === turn

/** What is percent-encoded in the text of a page and of the frames in it, outside URLs, which may be so. */
export const percentEncoded = async (page: Page): Promise<ReadonlyArray<string>> => {
  const texts: ReadonlyArray<unknown> = await Promise.all(
    page.frames().map((frame) => frame.evaluate("document.body.textContent")),
  )
  const text = texts.join("\n").replaceAll(/https?:\/\/\S+/gu, "")
  return text.match(/.{0,40}%[0-9A-F]{2}.{0,40}/gu) ?? []
}

/** What is shown now. A page is shown in every look without being loaded again. */
interface Shown {
  readonly look: string
  /** All of it, as a PNG file. */
  readonly picture: () => Promise<Uint8Array>
}

/** Each device and each scheme once; for pictures, and with full counts, all of them together. */
const schemes: { readonly [D in Device]: ReadonlyArray<"dark" | "light"> } =
  Counts.full || process.env["FLORIN_SCREENSHOTS"] !== undefined
    ? { desktop: ["light", "dark"], phone: ["light", "dark"] }
    : { desktop: ["dark"], phone: ["light"] }

/**
 * Shows a page on every device in every colour scheme. It must have been opened on a desktop: Chromium takes a mouse
 * away, and does not give it back.
 */
export const inEveryLook = async (
  page: Page,
  see: (shown: Shown) => Promise<void>,
): Promise<void> => {
  const debugging = await page.context().newCDPSession(page)
  for (const device of devices) {
    const { height, width } = viewports[device]
    const show = async (shownHeight: number) => {
      await page.setViewportSize({ width, height: shownHeight })
      // Whatever changes the screen forgets it.
      if (device === "phone") {
        await debugging.send("Emulation.setTouchEmulationEnabled", { enabled: true })
      }
    }
    const picture = async () => {
      await show(Number(await page.evaluate("document.documentElement.scrollHeight")))
      const image = await page.screenshot()
      await show(height)
      return image
    }
    // oxlint-disable no-await-in-loop -- One page has one look at a time.
    await show(height)
    for (const colorScheme of schemes[device]) {
      await page.emulateMedia({ colorScheme })
      await see({ look: `${device}-${colorScheme}`, picture })
    }
    // oxlint-enable no-await-in-loop
  }
}

/**
 * Waits until a condition holds in a page. Playwright's own `waitForFunction` evaluates its text again for each look, and
 * only the first is exempt from the page's content security policy.
 */
export const until = async (page: Page, condition: string): Promise<void> => {
  await page.evaluate(`new Promise((resolve) => {
    const look = () => (${condition} ? resolve() : setTimeout(look, 20))
    look()
  })`)
}

const readTime = Schema.decodeUnknownSync(Schema.Finite)

/** When the first of the page's content was painted, in milliseconds from when it was asked for. */
export const firstPaint = async (page: Page): Promise<number> =>
  readTime(
    await page.evaluate(`new Promise((resolve) => {
      new PerformanceObserver((list) => {
        for (const { startTime } of list.getEntriesByName("first-contentful-paint")) resolve(startTime)
      }).observe({ type: "paint", buffered: true })
    })`),
  )

/** When the first frame came that held such an element, in milliseconds from when the page was asked for. */
export const firstFrameWith = async (page: Page, selector: string): Promise<number> =>
  readTime(
    await page.evaluate(`new Promise((resolve) => {
      const look = () => {
        if (document.querySelector("${selector}") === null) requestAnimationFrame(look)
        else resolve(performance.now())
      }
      look()
    })`),
  )

/** Whoever runs a hostile text (see `Hostile.ts`) is noticed, in every frame. */
const trapped = `Object.defineProperty(window, "florinTrap", {
  configurable: true,
  get: () => console.error("a hostile text ran"),
})`

/** What a test does when it ends. Vitest knows the test by itself only where no other runs at the same time. */
export type Ending = Pick<TestContext, "onTestFinished">

/** Makes the page's own timers of these lengths 20 times as long, for what a busy machine would not see or do in time. */
export const waitLonger = (context: BrowserContext, ...lengthsInMs: ReadonlyArray<number>) =>
  context.addInitScript(`if (parent === window) {
    const { setTimeout } = window
    window.setTimeout = (run, inMs, ...more) =>
      setTimeout(run, ${JSON.stringify(lengthsInMs)}.includes(inMs) ? inMs * 20 : inMs, ...more)
  }`)

/** Opens a tab in which only these origins may be called; at its test's end nothing may have been noticed. */
const open = async (
  browser: Chromium,
  origins: ReadonlyArray<string>,
  device: Device = "phone",
  test: Ending = { onTestFinished },
): Promise<Tab> => {
  const context = await browser.newContext({
    hasTouch: device === "phone",
    isMobile: device === "phone",
    reducedMotion: "reduce",
    viewport: viewports[device],
  })
  context.setDefaultTimeout(patienceInMs)
  const asked: Array<string> = []
  const noticed: Array<string> = []
  await context.addInitScript(trapped)
  context.on("request", (request) => {
    const url = request.url()
    if (!url.startsWith("http")) return
    asked.push(url)
    if (!origins.includes(new URL(url).origin)) noticed.push(`called another host: ${url}`)
  })
  context.on("console", (message) => {
    if (message.type() === "error" && !isKnown(message.text())) noticed.push(message.text())
  })
  context.on("weberror", (error) => {
    const text = String(error.error())
    if (!isKnown(text)) noticed.push(text)
  })
  context.on("dialog", (dialog) => {
    noticed.push(`opened a dialog: ${dialog.message()}`)
    return dialog.dismiss()
  })
  test.onTestFinished(async () => {
    await context.close()
    assert.deepStrictEqual(noticed, [])
  })
  const page = await context.newPage()
  const checkWith = async (isTurn: boolean) => {
    if (isTurn) assert.deepStrictEqual(await violations(page), [])
    assert.deepStrictEqual(await percentEncoded(page), [])
    assert.isTrue(
      await page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
      "the page is wider than the screen",
    )
    assert.deepStrictEqual(noticed, [])
  }
  return {
    context,
    page,
    asked,
    noticed,
    check: () => checkWith(isAxeDue()),
    checkWhole: () => checkWith(true),
  }
}

const run = promisify(execFile)

/** Chromium as its package holds it, which names the version that is unpacked. */
const packed = fileURLToPath(new URL("..", import.meta.resolve("@sparticuz/chromium")))

const unpack = `
  import chromium from "@sparticuz/chromium"
  await chromium.executablePath()
`

/**
 * The browser's program, unpacked once on this machine. It gets its place when it is complete, so that of any number of
 * runs none starts what another one still writes.
 */
const executable = async (): Promise<string> => {
  const manifest = readFileSync(join(packed, "package.json"), "utf8")
  const version = /"version": "([^"]+)"/u.exec(manifest)?.[1] ?? assert.fail("it has no version")
  const place = join(tmpdir(), `florin-chromium-${version}`)
  const program = join(place, "chromium")
  if (existsSync(program)) return program
  const own = await mkdtemp(`${place}-`)
  const options = { cwd: import.meta.dirname, env: { ...process.env, TMPDIR: own } }
  await run(process.execPath, ["--input-type=module", "--eval", unpack], options)
  // Another run may have been first: a folder takes no other's place while that holds something.
  await rename(own, place).catch(() => rm(own, { recursive: true }))
  return program
}

/**
 * Its security is that of a payer's browser, except that its processes are not walled off from this machine. No name is
 * looked up, so a page that calls another host gets nowhere.
 */
export const launch = async (): Promise<Chromium> =>
  playwright.launch({
    executablePath: await executable(),
    timeout: patienceInMs,
    args: [
      "--headless=shell",
      "--no-sandbox",
      "--disable-gpu",
      "--font-render-hinting=none",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ],
  })

let shared: Promise<Chromium> | undefined

/** Opens a tab in the browser that all files of a process share, and that ends with the process. Tabs share nothing. */
export const openTab = async (
  origins: ReadonlyArray<string>,
  device?: Device,
  test?: Ending,
): Promise<Tab> => {
  shared ??= launch()
  return open(await shared, origins, device, test)
}
