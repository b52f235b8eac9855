import { writeFileSync } from "node:fs"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Browser from "../test/browser/Browser.ts"
import * as OperatorConsole from "../test/browser/OperatorConsole.ts"
import * as Service from "../test/browser/Service.ts"
const service = await Service.start({ merchantName: "Blue Door Coffee" })
const browser = await Browser.launch()
const face = (process.argv[2] ?? "partner") as "partner"
const console_ = await OperatorConsole.start(service, face)
const context = await browser.newContext({
  viewport: { width: 1280, height: 800 },
  colorScheme: "light",
})
const page = await context.newPage()
page.on("console", (m) => console.log("console", m.text()))
page.on("response", async (r) => {
  if (r.url().includes("/v1/session"))
    console.log(r.request().method(), r.status(), r.url(), (await r.text()).slice(0, 300))
})
const d = await context.newCDPSession(page)
await d.send("WebAuthn.enable")
await d.send("WebAuthn.addVirtualAuthenticator", {
  options: {
    protocol: "ctap2",
    transport: "internal",
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  },
})
let n = 0
const shot = async (name: string) => {
  for (const [device, width, height] of [
    ["desktop", 1280, 800],
    ["phone", 390, 844],
  ] as const)
    for (const scheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme: scheme })
      writeFileSync(
        `/tmp/florin/pk-${face}-${name}-${device}-${scheme}.png`,
        await page.screenshot(),
      )
    }
  await page.setViewportSize({ width: 1280, height: 800 })
}
const press = (name: string) =>
  page.getByRole("button", { name, exact: true }).click({ timeout: 30000 })
try {
  await page.goto(
    await console_.link(
      "Ada",
      (face === "partner" ? ApiKey.PartnerScope : ApiKey.OperatorScope).literals,
    ),
  )
  await press("Passkeys")
  await page.getByText("You have no passkey yet.").waitFor()
  await page.getByLabel("Name").fill("Laptop")
  await shot("empty")
  await press("Add a passkey")
  await page.getByText(/^Added/u).waitFor()
  await shot("added")
  await press("Close")
  await press("Sign out")
  await page.getByRole("heading", { name: "Sign in" }).waitFor()
  await shot("signin")
} catch (e) {
  console.log(String(e))
  await shot("failed")
}
await browser.close()
await console_.close()
await service.close()
process.exit(0)
