/**
 * What an editor shows of our names is short, and says nothing of how they are built. `hovers.txt` has the texts; set
 * `FLORIN_UPDATE=1` to write it again, and read the difference.
 *
 * @module
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { env } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as hovers from "../hovers.ts"

const setup = `import { createFlorin, type FlorinInDatabase, type Options } from "@florin/server/Florin"
import { makePartner, makeWallet, pay, verifyWebhook } from "@florin/client"
import { makeOperator } from "@florin/client/operator"
declare const options: Options
declare const inDatabase: FlorinInDatabase
declare const florin: ReturnType<typeof createFlorin>
const partner = makePartner({ baseUrl: "", apiKey: "" })
const wallet = makeWallet({ baseUrl: "", apiKey: "" })
const operator = makeOperator({ baseUrl: "", apiKey: "" })`

const optionNames = [
  "payLinkHost",
  "chains",
  "pages",
  "sealKey",
  "storage",
  "signals",
  "vault",
  "rates",
  "screening",
  "collectData",
  "identifiers",
  "webhooks",
  "alerts",
  "payouts",
  "credit",
].map((name) => `options.${name}`)

const names = [
  "createFlorin",
  "florin.handler",
  "florin.route",
  "florin.workers",
  "florin.onEvent",
  "florin.operator",
  "florin.operator.partners.create",
  "florin.operator.keys.issue",
  "florin.operator.merchants.change",
  "florin.operator.inflows.list",
  "florin.operator.outflows.retry",
  "florin.operator.balances.list",
  "inDatabase.in",
  "inDatabase.onEventInTransaction",
  "partner.payments.create",
  "partner.payments.get",
  "partner.payments.status",
  "partner.payments.all",
  "partner.refunds.create",
  "partner.payouts.list",
  "partner.merchants.create",
  "partner.events.stream",
  "partner.webhooks.create",
  "wallet.get",
  "operator.partners.create",
  "makePartner",
  "makeWallet",
  "makeOperator",
  "pay",
  "verifyWebhook",
]

const recorded = join(import.meta.dirname, "hovers.txt")
const shown = await hovers.of("packages/florin/src/Hovers.ts", setup, [...names, ...optionNames])

const linesMax = 45

describe("what an editor shows", () => {
  it("is as recorded", () => {
    const text = [...shown].map(([name, hover]) => `## ${name}\n\n${hover.trim()}\n`).join("\n")
    if (env["FLORIN_UPDATE"] !== undefined) writeFileSync(recorded, text)
    assert.strictEqual(text, readFileSync(recorded, "utf8"))
  })

  it.each(names)(
    "of %s has no types of Effect, no brands, and no more lines than a screen",
    (name) => {
      const hover = shown.get(name) ?? ""
      assert.notStrictEqual(hover, "")
      assert.notMatch(
        hover,
        /\b(?:Effect|Layer|Schema|HttpApi\w*|Brand(?:ed)?|Struct|optionalKey)</u,
      )
      assert.isAtMost(hover.split("\n").length, linesMax)
    },
  )

  it.each(optionNames)(
    "of %s says what it is for, and its default if it may be left out",
    (name) => {
      const [, code = "", words = ""] = (shown.get(name) ?? "").split("```")
      assert.isAbove(words.trim().length, 20)
      if (code.includes("?:")) assert.match(words, /default|[Rr]equired|Your own webhook/u)
    },
  )
})
