/**
 * Plays somebody who has never seen Florin: a fresh clone, the command of the README, and then only what the screen says.
 * Prints each step with its seconds.
 *
 * @example
 * node packages/florin/scripts/newcomer.ts
 *
 * @module
 */
import { execFileSync, spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { argv, env, kill, stdout } from "node:process"
import { text as readText } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { verifyWebhook } from "@florin/client"
import * as Browser from "../test/browser/Browser.ts"

const repository = argv[2] ?? join(import.meta.dirname, "../../..")
const patienceInMs = 300_000
const hookPort = 4242

const startedAt = performance.now()
let lastAt = startedAt
const seconds = (from: number): string => ((performance.now() - from) / 1000).toFixed(1)
const step = (what: string): void => {
  stdout.write(`${seconds(lastAt).padStart(7)} s  ${what}\n`)
  lastAt = performance.now()
}

const until = async <A>(look: () => A | undefined, what: string): Promise<A> => {
  const endsAt = performance.now() + patienceInMs
  while (performance.now() < endsAt) {
    const found = look()
    if (found !== undefined) return found
    // oxlint-disable-next-line no-await-in-loop -- Each look comes after the one before.
    await sleep(50)
  }
  throw new Error(`the newcomer waited for nothing: ${what}`)
}

/** A command as it was printed, in a shell, and what it has printed itself. */
const paste = (command: string, cwd: string) => {
  const child = spawn(command, { cwd, shell: true, detached: true, env: { ...env, CI: "" } })
  const printed = { text: "" }
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Uint8Array) => {
      printed.text += String(chunk)
    })
  }
  const find = (pattern: RegExp) =>
    until(() => pattern.exec(printed.text)?.[1], `${pattern} of ${command}:\n${printed.text}`)
  return { child, find }
}

/** As Ctrl-C does: the whole group gets it. */
const interrupt = async (child: ChildProcess): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null) return
  const ended = once(child, "exit")
  kill(-child.pid, "SIGINT")
  await ended
}

const home = mkdtempSync(join(tmpdir(), "florin-newcomer-"))
const clone = join(home, "florin")
execFileSync("git", ["clone", "-q", repository, clone])
execFileSync("npm", ["run", "prestart"], { cwd: clone, stdio: "ignore" })
step("cloned and installed")
const installedAt = performance.now()

const service = paste("npm start", clone)
const address = await service.find(/open +(http\S+)/u)
step(`npm start prints an address to open: ${address}`)

const browser = await Browser.launch()
const page = await browser.newPage()
page.setDefaultTimeout(patienceInMs)
await page.goto(address)
const listenCommand = (await page.getByText(/^npx florin listen /u).textContent()) ?? ""
step(`the console opens, and shows: ${listenCommand}`)

const listener = paste(listenCommand, clone)
const secret = await listener.find(/(whsec_\S+)/u)
const received: Array<string> = []
const hook = createServer(async (request, response) => {
  const body = await readText(request)
  const { type } = await verifyWebhook({ body, headers: request.headers, secret })
  received.push(type)
  response.end()
}).listen(hookPort)
const hears = (type: string) =>
  until(() => (received.includes(type) ? type : undefined), `the webhook ${type}`)
step("the server of the newcomer listens for webhooks")

await page.getByRole("button", { name: "Create payment" }).click()
const [checkout] = await Promise.all([
  page.context().waitForEvent("page"),
  page.getByRole("link", { name: /^Open the checkout \(/u }).click(),
])
step("a payment is created, and its checkout opens")

await checkout.getByRole("button", { name: "Test wallet: rich" }).click()
await checkout.getByRole("heading", { name: "Choose how to pay" }).waitFor()
await checkout.getByRole("region", { name: "Recommended" }).getByRole("button").click()
await checkout.getByRole("heading", { name: "Paid" }).waitFor()
step("the test wallet pays, and the checkout shows the receipt")

await hears("payment.succeeded")
step("the webhook payment.succeeded arrives, and its signature is right")

await page.getByRole("row").filter({ hasText: "Succeeded" }).getByRole("link").click()
await page.getByRole("button", { name: "Refund", exact: true }).click()
await page.getByRole("button", { name: /^Refund \S/u }).click()
step("the refund is asked for")
await hears("refund.succeeded")
step("the webhook refund.succeeded arrives")
stdout.write(`${seconds(installedAt).padStart(7)} s  in all, after the install\n`)

hook.close()
await browser.close()
await interrupt(listener.child)
await interrupt(service.child)
rmSync(home, { recursive: true, force: true })
