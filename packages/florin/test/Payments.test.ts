import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Beside from "./beside.ts"
import * as Program from "./program.ts"

const beside = Beside.dev()

const payment = (referenceId: string) => ({
  referenceId,
  amount: { unit: "iso4217/USD", value: "1250" },
})

describe("florin payments create", () => {
  it(
    "creates exactly what it was asked for, and prints where it is paid",
    { timeout: Beside.timeout },
    async () => {
      const out = await beside.run(
        ..."payments create --amount 12.50 --currency USD --reference order-1".split(" "),
      )
      const [id = ""] = /pay_[0-9A-Za-z]+/u.exec(out) ?? []
      assert.include(out, `${id} asks for 12.50 USD`)
      assert.include(out, `https://${beside.ready().payLinkHost}/?pid=${id}\n`)
      assert.include(out, `${beside.ready().baseUrl}/?pid=${id}\n`)
      const { data } = await beside.partner().payments.list({ referenceId: "order-1" })
      assert.deepStrictEqual(
        data.map(({ fiatAmount, merchant, paymentId }) => [
          paymentId,
          fiatAmount?.unit,
          fiatAmount?.value,
          merchant.id,
        ]),
        [[id, "iso4217/USD", "1250", beside.ready().merchantId]],
      )
    },
  )

  it(
    "prints what the service answers as JSON, and makes one payment for one key",
    { timeout: Beside.timeout },
    async () => {
      const args = "payments create --amount 700 --currency JPY --reference order-2".split(" ")
      const expiresAt = new Date(Math.floor(Date.now() / 1000) * 1000 + 3_600_000).toISOString()
      const create = () =>
        beside.json(...args, "--idempotency-key", "order-2", "--expires-at", expiresAt)
      const first = await create()
      assert.hasAllKeys(first, [
        "paymentId",
        "status",
        "expiresAt",
        "isFinal",
        "pollInMs",
        "gatewayUrl",
      ])
      assert.propertyVal(first, "expiresAt", Date.parse(expiresAt) / 1000)
      assert.deepStrictEqual(await create(), first)
    },
  )

  const refused: ReadonlyArray<readonly [amount: string, message: string]> = [
    ["12.505 USD", "USD has 2 digits behind the point, not 3"],
    ["12.50", "add --currency USD"],
  ]
  it(
    "ends with 2 on an amount that it would have to guess or round",
    { timeout: Beside.timeout },
    async () => {
      for (const [amount, message] of refused) {
        // oxlint-disable-next-line no-await-in-loop -- One after the other, as a process is heavy.
        const err = await beside.fails(
          2,
          "payments",
          "create",
          `--amount=${amount}`,
          "--reference=x",
        )
        assert.include(err, message)
      }
    },
  )
})

describe("florin payments list and export", () => {
  it(
    "page through everything, and write a file whole or not at all",
    { timeout: Beside.timeout },
    async () => {
      const partner = beside.partner()
      const created = await Promise.all(
        Array.from({ length: 205 }, (_, index) =>
          partner.payments.create(payment(index === 7 ? '=1+1,"x"' : `many-${index}`)),
        ),
      )
      const ids = new Set(created.map(({ paymentId }) => paymentId))

      const list = await beside.run("payments", "list", "--reference", "many", "--limit", "2")
      assert.lengthOf(list.match(/ pay_/gu) ?? [], 2)
      assert.include(list, "There are more")
      const all = await beside.json("payments", "list", "--limit", "1000")
      assert.isArray(all)
      assert.includeMembers(Array.isArray(all) ? all.map(({ paymentId }) => paymentId) : [], [
        ...ids,
      ])
      assert.include(await beside.run("payments", "list", "--status", "succeeded"), "No payments.")

      const directory = join(beside.directory(), "exports")
      mkdirSync(directory)
      const file = join(directory, "all.csv")
      const said = await beside.run("payments", "export", "--format", "csv", "--output", file)
      const [header = "", ...lines] = readFileSync(file, "utf8").trimEnd().split("\r\n")
      assert.include(said, `${lines.length} payments are in ${file}`)
      assert.match(header, /^payment_id,created_at,/u)
      const written = new Set(lines.map((line) => line.slice(0, line.indexOf(","))))
      assert.isEmpty([...ids].filter((id) => !written.has(id)))
      assert.strictEqual(written.size, lines.length)
      assert.lengthOf(
        lines.filter((line) => line.includes(`,"'=1+1,""x""",`)),
        1,
      )
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)

      const streamed = await beside.run("payments", "export", "--format", "jsonl")
      const items = streamed.trimEnd().split("\n")
      assert.lengthOf(items, lines.length)
      const { data } = await partner.payments.list({ limit: 1 })
      assert.deepStrictEqual(JSON.parse(items[0] ?? ""), data[0])

      writeFileSync(file, "kept")
      const bad = ["payments", "export", "--format", "csv", "--output", file, "--since", "soon"]
      assert.include(await beside.fails(1, ...bad), "exporting payments: ")
      assert.strictEqual(readFileSync(file, "utf8"), "kept")
      assert.deepStrictEqual(readdirSync(directory), ["all.csv"])
    },
  )
})

describe("florin payments show and cancel", () => {
  it("tell how a payment stands, and call it off once", { timeout: Beside.timeout }, async () => {
    const { paymentId } = await beside.partner().payments.create(payment("off"))
    const open = await beside.run("payments", "show", paymentId)
    assert.match(open, /reference +off\n/u)
    assert.match(open, /status +requires_action\n/u)
    const first = await beside.json("payments", "cancel", paymentId)
    assert.include(await beside.run("payments", "cancel", paymentId), "is cancelled since")
    assert.deepStrictEqual(await beside.json("payments", "cancel", paymentId), first)
    assert.match(await beside.run("payments", "show", paymentId), /status +cancelled, for good\n/u)
    assert.include(
      await beside.fails(1, "payments", "show", "pay_unknown"),
      "reading the payment: ",
    )
  })
})

describe("florin's partner commands", () => {
  it(
    "take address and key together from the environment, or neither",
    { timeout: Beside.timeout },
    async () => {
      const { baseUrl, live } = beside.ready()
      const elsewhere = join(beside.directory(), "nothing")
      const list = ["payments", "list", "--directory", elsewhere]
      const listWith = (settings: Record<string, string>) => Program.start(list, settings).ended
      const ends = await Promise.all([
        listWith({}),
        Program.start(["payments", "list", "--directory", beside.directory()], {
          FLORIN_URL: baseUrl,
        }).ended,
        listWith({ FLORIN_API_KEY: live.partnerKey }),
        listWith({ FLORIN_URL: baseUrl, FLORIN_API_KEY: "flr_wrong" }),
      ])
      assert.deepStrictEqual(
        ends.map(({ code }) => code),
        [1, 1, 1, 1],
      )
      assert.include(ends[0]?.err, "set FLORIN_URL and FLORIN_API_KEY, or start florin dev here")
      assert.include(ends[1]?.err, "no key for that address: set FLORIN_API_KEY")
      assert.include(ends[2]?.err, "no address for that key: set FLORIN_URL")
      assert.notInclude(ends[3]?.err, "flr_wrong")
      assert.isFalse(existsSync(elsewhere))

      const keyFile = join(beside.directory(), "key")
      writeFileSync(keyFile, `${live.partnerKey}\n`)
      const reference = ["--amount", "1 EUR", "--reference", "live one"]
      const named = await Program.run(
        "payments",
        "create",
        ...reference,
        "--url",
        baseUrl,
        "--key-file",
        keyFile,
        "--merchant",
        live.merchantId,
      )
      assert.strictEqual(named.code, 0, named.err)
      assert.notInclude(await beside.run("payments", "list"), "live one")
      const seen = await listWith({ FLORIN_URL: baseUrl, FLORIN_API_KEY: live.partnerKey })
      assert.include(seen.out, "live one")
    },
  )
})
