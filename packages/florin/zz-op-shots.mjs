import { readFileSync, mkdirSync } from "node:fs"
import { chromium } from "playwright-core"
const { url, links, ids } = JSON.parse(readFileSync("/tmp/florin/opcon-urls", "utf8"))
const out = "/tmp/florin/opcon-shots"; mkdirSync(out, { recursive: true })
const only = process.argv[2]?.split(",")
const lang = process.argv[3] ?? "en"
const b = await chromium.launch({ executablePath: process.env.CHROME, args: ["--headless=shell", "--no-sandbox", "--disable-gpu"] })
const looks = [["desktop", 1280, 800, "light"], ["phone", 390, 844, "dark"], ["desktop", 1280, 800, "dark"], ["phone", 390, 844, "light"]].slice(0, Number(process.argv[4] ?? 2))
import { existsSync } from "node:fs"
const statePath = "/tmp/florin/opcon-state-" + new URL(url).port + ".json"
if (!existsSync(statePath)) { const c = await b.newContext({ locale: lang }); const p = await c.newPage(); p.on("console", (m) => console.log(m.text())); await p.goto(links[0]); await p.waitForSelector("nav"); await c.storageState({ path: statePath }); await c.close() }
const cookies = statePath
const screens = { now: "", stuck: "/stuck", outflows: "/outflows", short: "/outflows/short", unclaimed: "/unclaimed", accounts: "/accounts", put: "/accounts/put", chains: "/chains", relayers: "/relayers", partners: "/partners", approvals: "/approvals", keys: "/keys", audit: "/audit", checks: "/checks", payment: `/payments/${ids[0]}` }
for (const [device, width, height, scheme] of looks) {
  const c = await b.newContext({ storageState: cookies, viewport: { width, height }, colorScheme: scheme, locale: lang, reducedMotion: "reduce" })
  const p = await c.newPage()
  p.on("console", (m) => m.type() === "error" && console.log(device, m.text()))
  p.on("pageerror", (e) => console.log(device, "ERR", e.message))
  for (const [name, path] of Object.entries(screens)) {
    if (only && only[0] !== "all" && !only.includes(name)) continue
    await p.goto(`${url}/console${path}`)
    await p.waitForSelector("main h1", { timeout: 20000 }).catch(() => console.log("no h1", name)); await p.waitForSelector("main .skeleton", { state: "detached", timeout: 20000 }).catch(() => console.log("slow", name))
    await p.waitForTimeout(300)
    await p.screenshot({ path: `${out}/${name}-${device}-${scheme}-${lang}.png`, fullPage: true })
    const wide = await p.evaluate("document.documentElement.scrollWidth > innerWidth")
    if (wide) console.log("WIDE", name, device)
  }
  for (const [name, tab, sel] of [["outflow", "/outflows", ".rowLink"], ["partner", "/partners", ".rowLink"], ["entry", "/audit", ".rowLink"]]) {
    if (only && only[0] !== "all" && !only.includes(name)) continue
    await p.goto(`${url}/console${tab}`)
    await p.waitForSelector(sel); await p.click(sel); await p.waitForTimeout(1200)
    await p.screenshot({ path: `${out}/${name}-${device}-${scheme}-${lang}.png`, fullPage: true })
  }
  await c.close()
}
await b.close()
