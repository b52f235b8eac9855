/**
 * A partner's commands, and what the operator reads afterwards, next to one service that stops before the last test.
 *
 * @module
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Wallet from "@florin/testing/Wallet"
import { Effect } from "effect"
import * as Asked from "../src/access/Asked.ts"
import * as Payer from "../src/dev/Payer.ts"
import * as Beside from "./beside.ts"
import * as Program from "./program.ts"

const beside = Beside.dev()

const payment = (referenceId: string) => ({
  referenceId,
  amount: { unit: "iso4217/USD", value: "1250" },
})

describe("florin payments create", () => {
  it(
    "creates the requested payment, and prints where it is paid",
    { timeout: Beside.timeout },
    async () => {
      const out = await beside.run(
        ..."payments create --amount 12.50 --currency USD --reference order-1".split(" "),
      )
      const [id = ""] = /pay_[0-9A-Za-z]+/u.exec(out) ?? []
      assert.include(out, `${id} requests 12.50 USD`)
      assert.include(out, `${beside.ready().baseUrl}/?pid=${id}\n`)
      assert.include(out, `?pid=${id}' --directory ${beside.directory()}\n`)
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
    "names a command that pays at the same address, and none for a live payment",
    { timeout: Beside.timeout },
    async () => {
      const { baseUrl, live, ...test } = beside.ready()
      const create = (mode: string, key: string, merchantId: string) => {
        const file = join(beside.directory(), `${mode}.key`)
        writeFileSync(file, key, { mode: 0o600 })
        const args = "payments create --amount 12.50 --currency USD --reference elsewhere"
        const at = ["--url", baseUrl, "--key-file", file]
        return Program.run(...args.split(" "), ...at, "--merchant", merchantId)
      }
      const named = await create("test", test.partnerKey, test.merchantId)
      const [, words = ""] = /Pay it here with: npx florin (.*)/u.exec(named.out) ?? []
      const pasted = words.split(" ").map((word) => word.replaceAll("'", ""))
      assert.deepStrictEqual(pasted.slice(2, 4), ["--url", baseUrl])
      const paid = await Program.run(...pasted)
      assert.include(paid.out + paid.err, "Paid 12.50", paid.err)
      const { code, out } = await create("live", live.partnerKey, live.merchantId)
      assert.strictEqual(code, 0)
      assert.notInclude(out, "florin pay")
    },
  )

  it(
    "prints the service's response as JSON, and creates one payment for one idempotency key",
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
        "metadata",
      ])
      assert.propertyVal(first, "expiresAt", Date.parse(expiresAt) / 1000)
      assert.deepStrictEqual(await create(), first)
    },
  )

  const refused: ReadonlyArray<readonly [amount: string, message: string]> = [
    ["12.505 USD", "USD has 2 decimals, not 3"],
    ["12.50", "write '12.50 USD'"],
  ]
  it("stores metadata with the payment, and prints it", { timeout: Beside.timeout }, async () => {
    const args = "payments create --amount 1 --currency EUR --reference kept".split(" ")
    const pairs = ["cart=6735", "note=a=b, ä 😀", "empty=", "bell=\u0007"]
    const created = await beside.json(...args, ...pairs.flatMap((pair) => ["--metadata", pair]))
    const metadata = { cart: "6735", note: "a=b, ä 😀", empty: "", bell: "\u0007" }
    assert.deepStrictEqual(Object(created).metadata, metadata)
    const shown = await beside.run("payments", "show", Object(created).paymentId)
    for (const pair of ["cart=6735", "note=a=b, ä 😀", "empty=", "bell=\ufffd"]) {
      assert.match(shown, new RegExp(` metadata +${pair}\n`, "u"))
    }
    assert.match(await beside.run(...args), / expires +[-\d]{10} [:\d]{8} \(UTC\)\n/u)
    const twice = ["--metadata=a=1", "--metadata=a=2"]
    assert.include(await beside.fails(2, ...args, ...twice), "key=value, each key once")
    assert.include(await beside.fails(2, ...args, "--metadata=a"), "key=value, each key once")
    const long = `--metadata=a=${"x".repeat(501)}`
    assert.include(await beside.fails(2, ...args, long), "--metadata")
  })

  it(
    "stores a description and line items, and prints them",
    { timeout: Beside.timeout },
    async () => {
      const args = "payments create --amount 12.50 --currency EUR --reference beans".split(" ")
      const items = ["2x Coffee beans=9.00", "Shipping = 3.5", "a=b", "10x 2x4 timber"]
      const description = `Beans \u200b${"of the house ".repeat(20)}`
      const created = await beside.json(
        ...args,
        `--description=${description}`,
        ...items.map((item) => `--item=${item}`),
      )
      const { lineItems, paymentId } = Object(created)
      assert.deepStrictEqual(
        lineItems.map(({ amount, name, quantity }: (typeof lineItems)[number]) => [
          quantity,
          name,
          amount?.unit,
          amount?.value,
        ]),
        [
          [2, "Coffee beans", "iso4217/EUR", "900"],
          [1, "Shipping", "iso4217/EUR", "350"],
          [1, "a=b", undefined, undefined],
          [10, "2x4 timber", undefined, undefined],
        ],
      )
      const shown = await beside.run("payments", "show", paymentId)
      assert.match(shown, / for +Beans \ufffdof the house/u)
      assert.include(shown, "2x Coffee beans, 9.00 EUR\n")
      assert.include(shown, "10x 2x4 timber\n")
      for (const line of shown.split("\n").filter((each) => each.includes("of the house"))) {
        assert.isAtMost(line.length, 80)
      }
      assert.include(await beside.fails(2, ...args, "--item= "), "an item is written like")
      assert.include(await beside.fails(2, ...args, "--item=Tea=1.234"), "EUR has 2 decimals")
      assert.include(await beside.fails(2, ...args, "--item=Tea=1,50"), "is written like 12.50")
      assert.include(
        await beside.fails(2, ...args, `--item=${"x".repeat(121)}`),
        "--item[0].name: must have 1 to 120 characters",
      )
    },
  )

  it(
    "refuses an ambiguous or inexact amount with exit code 2",
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
    "read every page, and write a file completely or not at all",
    { timeout: Beside.timeout },
    async () => {
      const partner = beside.partner()
      const created = []
      for (let from = 0; from < 205; from += 41) {
        const names = Array.from({ length: 41 }, (_, index) => from + index)
        const creating = names.map((name) =>
          partner.payments.create(payment(name === 7 ? '=1+1,"x"' : `many-${name}`)),
        )
        // oxlint-disable-next-line no-await-in-loop -- All at once would take longer than they may wait.
        created.push(...(await Promise.all(creating)))
      }
      const ids = new Set(created.map(({ paymentId }) => paymentId))

      const list = await beside.run("payments", "list", "--reference", "many", "--limit", "2")
      assert.lengthOf(list.match(/ pay_/gu) ?? [], 2)
      assert.include(list, "There are more")
      const pageOf = async (...more: ReadonlyArray<string>) =>
        Object(await beside.json("payments", "list", "--limit", "200", ...more))
      const first = await pageOf()
      const all = [...first.data, ...(await pageOf("--cursor", first.nextCursor)).data]
      assert.includeMembers(
        all.map(({ paymentId }: { readonly paymentId: string }) => paymentId),
        [...ids],
      )
      assert.include(await beside.run("payments", "list", "--status", "failed"), "No payments.")
      const others = ["payments", "list", "--currency", "chf", "--currency", "GBP"]
      assert.include(await beside.run(...others), "No payments.")
      assert.notInclude(await beside.run(...others, "--currency", "usd"), "No payments.")
      assert.include(await beside.fails(2, ...others, "--currency", "€"), "currency: must be a")

      const directory = join(beside.directory(), "exports")
      mkdirSync(directory)
      const file = join(directory, "all.csv")
      const ofOne = ["payments", "export", "--format", "csv", "--reference", "many-100"]
      const said = await beside.run("payments", "export", "--format", "csv", "--output", file)
      const [header = "", ...lines] = readFileSync(file, "utf8").trimEnd().split("\r\n")
      assert.include(said, `Wrote ${lines.length} payments to ${file}`)
      assert.match(header, /^payment_id,created_at,/u)
      const written = new Set(lines.map((line) => line.slice(0, line.indexOf(","))))
      assert.isEmpty([...ids].filter((id) => !written.has(id)))
      assert.strictEqual(written.size, lines.length)
      assert.lengthOf(
        lines.filter((line) => line.includes(`,"'=1+1,""x""",`)),
        1,
      )
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)

      const one = [...ofOne, "--output", join(directory, "one.csv")]
      assert.include(await beside.run(...one), "Wrote 1 payment to ")
      rmSync(join(directory, "one.csv"))

      const streamed = await beside.run("payments", "export", "--format", "jsonl")
      const items = streamed.trimEnd().split("\n")
      assert.lengthOf(items, lines.length)
      const { data } = await partner.payments.list({ limit: 1 })
      assert.deepStrictEqual(JSON.parse(items[0] ?? ""), data[0])

      const csv = ["payments", "export", "--format", "csv", "--directory", beside.directory()]
      const unread = Program.start(csv)
      unread.child.stdout?.destroy()
      const { code, err } = await unread.ended
      assert.deepStrictEqual({ code, err }, { code: 0, err: "" }, "as head -1 reads it")

      writeFileSync(file, "kept")
      const bad = ["payments", "export", "--format", "csv", "--output", file, "--since", "soon"]
      assert.include(await beside.fails(2, ...bad), "exporting payments: --since: must be")
      assert.strictEqual(readFileSync(file, "utf8"), "kept")
      assert.deepStrictEqual(readdirSync(directory), ["all.csv"])
    },
  )
})

describe("florin payments show and cancel", () => {
  it("show the status of a payment, and cancel it once", { timeout: Beside.timeout }, async () => {
    const { paymentId } = await beside.partner().payments.create(payment("off"))
    const open = await beside.run("payments", "show", paymentId)
    assert.match(open, /reference +off\n/u)
    assert.match(open, /status +requires_action\n/u)
    const first = await beside.json("payments", "cancel", paymentId)
    assert.include(await beside.run("payments", "cancel", paymentId), "was cancelled at")
    assert.deepStrictEqual(await beside.json("payments", "cancel", paymentId), first)
    assert.match(await beside.run("payments", "show", paymentId), /status +cancelled, final\n/u)
    await beside.run("trigger", "payment.succeeded")
    const list = await beside.run("payments", "list", "--reference", "trigger")
    assert.include(list, "12.50 USD gross, 0.00 refunded, 12.50 net of refunds")
    const [paid = ""] = / pay_\w+/u.exec(list) ?? []
    assert.match(await beside.run("payments", "show", paid.trim()), /payer +eip155:\w+:0x\w+\n/u)
    assert.include(
      await beside.fails(1, "payments", "show", "pay_unknown"),
      "✗ there is no such payment: `npx florin payments list",
    )
    assert.include(
      await beside.fails(2, "payments", "cancel", "order-1"),
      "Expected: pay_ and 1 to 64 letters or digits",
    )
  })
})

describe("florin's partner commands", () => {
  it(
    "read the service's address and key together from the environment, or neither",
    { timeout: Beside.timeout },
    async () => {
      const { baseUrl, live } = beside.ready()
      const elsewhere = join(beside.directory(), "nothing")
      const list = ["payments", "list", "--directory", elsewhere]
      const listWith = (settings: Record<string, string>) => Program.runIn(settings, ...list)
      const ends = await Promise.all([
        listWith({}),
        Program.runIn(
          { FLORIN_URL: baseUrl },
          "payments",
          "list",
          "--directory",
          beside.directory(),
        ),
        listWith({ FLORIN_API_KEY: live.partnerKey }),
        listWith({ FLORIN_URL: baseUrl, FLORIN_API_KEY: "flr_wrong" }),
        Program.runIn(
          { FLORIN_URL: baseUrl, FLORIN_API_KEY: live.partnerKey },
          "payments",
          "show",
          "pay_1",
        ),
        listWith({ FLORIN_URL: "localhost:3000", FLORIN_API_KEY: live.partnerKey }),
      ])
      assert.deepStrictEqual(
        ends.map(({ code }) => code),
        [1, 1, 1, 1, 1, 1],
      )
      assert.include(
        ends[0]?.err,
        "set FLORIN_URL and FLORIN_API_KEY, or start a service with `npx florin dev --directory",
      )
      assert.include(ends[1]?.err, "the service's address has no key: set FLORIN_API_KEY")
      assert.include(ends[2]?.err, "the key has no service address: set FLORIN_URL")
      assert.include(ends[3]?.err, "set FLORIN_API_KEY or --key-file to a valid key")
      assert.notInclude(ends[3]?.err, "flr_wrong")
      assert.include(ends[4]?.err, "set FLORIN_MERCHANT_ID or --merchant")
      assert.include(ends[5]?.err, "--url must be a web address")
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

const merchants = (...args: ReadonlyArray<string>) => beside.run("merchants", ...args)

const asset = "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"
const destination = "eip155:8453:0x2222222222222222222222222222222222222222"

describe("florin merchants", () => {
  it(
    "creates, changes, lists, shows and deletes a merchant",
    { timeout: Beside.timeout },
    async () => {
      const created = await merchants("create", "--name", "Tea Room", "--email", "a@tea.example")
      const [, id = ""] = /✓ (\S+)/u.exec(created) ?? []
      assert.include(created, `florin merchants settlements add ${id}`)
      const list = await merchants("list", "--search", "Tea")
      assert.match(list, new RegExp(`Tea Room +a@tea\\.example +active +${id}\n`, "u"))
      assert.include(await merchants("list", "--limit", "1"), "There are more: add --cursor")

      await merchants(
        "update",
        id,
        "--name",
        "Tea House",
        "--icon-url",
        "https://tea.example/i.png",
      )
      const changed = await merchants("show", id)
      assert.match(changed, /name +Tea House\n/u)
      assert.match(changed, /email +a@tea\.example\n/u)
      assert.include(changed, "https://tea.example/i.png")
      await merchants("update", id, "--icon-url", "none")
      assert.match(await merchants("show", id), /icon +none\n/u)
      assert.include(await beside.fails(2, "merchants", "update", id), "at least one")

      const face = [
        "--brand-color=#1F6FEB",
        "--support-email=help@tea.example",
        "--support-url=https://tea.example/help",
        "--checkout-origin=https://tea.example",
        "--checkout-origin=http://localhost:3000",
      ]
      const faced = await merchants("update", id, ...face)
      for (const fact of [
        /support +help@tea\.example\n/u,
        /support +https:\/\/tea\.example\/help\n/u,
        /color +#1f6feb\n/u,
        /framed by +https:\/\/tea\.example\n/u,
        /framed by +http:\/\/localhost:3000\n/u,
      ]) {
        assert.match(faced, fact)
      }
      assert.include(
        await beside.fails(2, "merchants", "update", id, "--checkout-origin=https://tea.example/"),
        "--checkout-origin[0]: an origin has no path",
      )
      const bare = await merchants(
        "update",
        id,
        "--brand-color=none",
        "--support-email=none",
        "--support-url=none",
        "--checkout-origin=none",
      )
      assert.notMatch(bare, /support|color|framed by/u)

      assert.include(await merchants("delete", id), `${id} is deleted`)
      const refused = ["--amount", "1 USD", "--reference", "tea", "--merchant", id]
      assert.include(await beside.fails(1, "payments", "create", ...refused), "merchant")
    },
  )

  it(
    "adds and removes a merchant's settlement destination",
    { timeout: Beside.timeout },
    async () => {
      const { merchant } = await beside.partner().merchants.create({
        merchantName: "Book Shop",
        merchantEmail: "b@books.example",
      })
      const listed = () => beside.partner().settlements.list(merchant.id)
      await merchants("settlements", "add", merchant.id, asset, destination)
      const { crypto } = await listed()
      assert.deepStrictEqual(
        crypto.map((each) => each.destination),
        [destination],
      )
      const id = crypto[0]?.id ?? ""
      const { paymentId } = await beside
        .partner()
        .payments.create(payment("books"), { merchantId: merchant.id })
      assert.include(await beside.run("payments", "list", "--reference", "books"), paymentId)
      const elsewhere = ["--reference", "books", "--merchant", beside.ready().merchantId]
      assert.include(await beside.run("payments", "list", ...elsewhere), "No payments.")
      const shown = await merchants("show", merchant.id)
      assert.include(shown, id)
      assert.include(shown, destination)
      await merchants("settlements", "remove", merchant.id, id)
      assert.deepStrictEqual((await listed()).crypto, [])
      assert.include(
        await merchants("settlements", "list", merchant.id),
        "No settlement destinations",
      )
      const wrong = ["settlements", "add", merchant.id, asset, "nowhere"]
      assert.include(await beside.fails(2, "merchants", ...wrong), "<destination>: ")
    },
  )
})

describe("florin merchants statement", () => {
  it(
    "has correct sums, for people, programs and spreadsheets",
    { timeout: Beside.timeout },
    async () => {
      const { merchant } = await beside.partner().merchants.create({
        merchantName: "=Shop",
        merchantEmail: "s@shop.example",
      })
      const { gatewayUrl } = await beside
        .partner()
        .payments.create(payment("statement"), { merchantId: merchant.id })
      await beside.run("pay", gatewayUrl)
      const year = ["statement", merchant.id, "--from", "2000-01-01", "--to", "2999-12-31"]
      const { tokens } = JSON.parse(await merchants(...year, "--json"))
      assert.lengthOf(tokens, 1)
      const [{ closing, display, fees, paidIn }] = tokens
      assert.strictEqual(BigInt(closing.owed), BigInt(paidIn) + BigInt(fees))
      const owed = Number(closing.owed) / 10 ** display.decimals
      assert.match(await merchants(...year), new RegExp(`closing owed +${owed}\n`, "u"))
      const [head = "", row = "", ...rest] = (await merchants(...year, "--csv")).split("\r\n")
      assert.match(head, /^merchant_id,merchant,from,to,/u)
      assert.include(row, `${merchant.id},'=Shop,2000-01-01,2999-12-31,`)
      assert.deepStrictEqual(rest, [""])
      const never = ["--from", "2026-02-30", "--to", "2026-03-01"]
      assert.include(
        await beside.fails(2, "merchants", "statement", merchant.id, ...never),
        "from: must be",
      )
    },
  )
})

describe("florin refunds create and show", () => {
  it("refund a payment once, and show its status", { timeout: Beside.timeout }, async () => {
    const { gatewayUrl, paymentId } = await beside.partner().payments.create({
      referenceId: "back",
      amount: { unit: "iso4217/USD", value: "300" },
    })
    assert.include(await beside.fails(1, "refunds", "create", paymentId), "refund")
    await beside.run("pay", gatewayUrl)

    const onChains = (ids: string) => beside.run("payments", "list", "--network", ids)
    const everyWay = ["8453", "eip155:8453", "56,8453", "solana:mainnet,8453"].map(onChains)
    for (const listed of await Promise.all(everyWay)) assert.include(listed, paymentId)
    assert.notInclude(await onChains("56"), paymentId)
    const noId = await beside.fails(2, "payments", "list", "--network", "8453,base")
    assert.include(noId, "--network: must be CAIP-2 chain ids")
    assert.include(await beside.fails(2, "payments", "list", "--limit", "0"), "--limit: must be")

    const created = await beside.run("refunds", "create", paymentId)
    assert.include(created, "3.00 USDC on Base goes back to the payer")
    const [, refundId = ""] = /florin refunds show (\S+)/u.exec(created) ?? []
    const { refund } = await beside.partner().payments.get(paymentId)
    assert.strictEqual(refund?.refundId, refundId)
    const shown = await beside.run("refunds", "show", refundId)
    assert.include(shown, paymentId)
    assert.match(shown, /amount +3\.00 USDC on Base\n/u)
    assert.match(shown, /status +(?:pending|processing|succeeded)\n/u)
    assert.include(await beside.fails(1, "refunds", "create", paymentId), "refund")
  })

  it(
    "refund a part once for one idempotency key, and say what to look at if no response came",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl, paymentId } = await beside.partner().payments.create({
        referenceId: "part",
        amount: { unit: "iso4217/USD", value: "300" },
      })
      await beside.run("pay", gatewayUrl)
      const part = ["refunds", "create", paymentId, "--amount", "1 USD"]
      const first = await beside.json(...part, "--idempotency-key", "part-1")
      assert.deepStrictEqual(await beside.json(...part, "--idempotency-key", "part-1"), first)
      const listed = await beside.json("refunds", "list", paymentId)
      assert.lengthOf(Object(listed).data, 1)

      const { partnerKey } = beside.ready()
      const nowhere = { FLORIN_URL: "http://127.0.0.1:9", FLORIN_API_KEY: partnerKey }
      const { code, err } = await Program.runIn(nowhere, ...part)
      assert.strictEqual(code, 1, err)
      assert.match(err, /call again, unless `\S+ ?florin refunds list pay_\w+` shows the refund\n/u)
    },
  )

  it(
    "refund a part to another account, for which the payer signed",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl, paymentId } = await beside.partner().payments.create({
        referenceId: "elsewhere",
        amount: { unit: "iso4217/USD", value: "300" },
      })
      await beside.run("pay", gatewayUrl)
      const elsewhere = "eip155:8453:0x2222222222222222222222222222222222222222"
      const of = ["--amount", "2.50 USD"]
      const printed = await beside.run("refunds", "statement", paymentId, elsewhere, ...of)
      const statement = printed.slice(0, printed.indexOf("Z\n", printed.indexOf("Valid until")) + 1)
      const file = join(beside.directory(), "statement.txt")
      writeFileSync(file, `${statement}\n`)
      const { buyer } = await beside.partner().payments.get(paymentId)
      const wallet = beside
        .ready()
        .wallets.map(({ privateKey }) => Wallet.make(privateKey))
        .find(({ address }) => buyer?.accountCaip10.toLowerCase().endsWith(address))
      const proof = wallet?.signMessage(statement) ?? assert.fail("nobody paid")
      const create = ["refunds", "create", paymentId, ...of, "--destination", elsewhere]
      const unsigned = await beside.fails(2, ...create, "--statement", file)
      assert.include(unsigned, "proof: is required with a destination")
      const missing = await beside.fails(1, ...create, "--statement", `${file}.none`)
      assert.include(missing, "cannot be read")
      const created = await beside.run(...create, "--statement", file, "--proof", proof)
      assert.include(created, `2.50 USDC on Base goes to ${elsewhere}`)
      const [, refundId = ""] = /florin refunds show (\S+)/u.exec(created) ?? []
      assert.match(await beside.run("refunds", "show", refundId), /to +eip155:8453:0x2222/u)
      assert.include(await beside.run("explain", paymentId), "signed for this one")
    },
  )
})

/** Pays a merchant who owes nothing from an earlier refund, and waits until it was paid out. */
const paidOut = async (): Promise<string> => {
  const { baseUrl, chains, live, payLinkHost, wallets } = beside.ready()
  const { merchantId, partnerKey, walletKey } = live
  const { payments } = makePartner({ baseUrl, apiKey: partnerKey, merchantId })
  const { gatewayUrl, paymentId } = await payments.create(payment("order-7"))
  const wallet = Wallet.make(wallets[0]?.privateKey ?? "")
  const result = await pay(gatewayUrl, {
    baseUrl,
    payLinkHost,
    apiKey: walletKey,
    accounts: [Eip155.formatAccount(wallet.account(8453))],
    signer: Payer.signer(wallet, chains),
  })
  assert.strictEqual(result._tag, "Succeeded")
  await Effect.runPromise(
    Asked.until("waiting for a settlement", async () => {
      const { settlement } = await payments.get(paymentId)
      return settlement ?? null
    }),
  )
  return paymentId
}

describe("florin status and florin balances", () => {
  it(
    "ask the running service's chains, with exit code 0 if nothing needs attention",
    { timeout: Beside.timeout },
    async () => {
      const shown = await beside.eventually("status")
      const printed = await beside.run("balances")
      assert.include(shown, "Nothing needs attention")
      assert.notInclude(shown, "Not checked")
      for (const part of ["gas", "nodes", "tokens"]) assert.include(shown, part)
      assert.include(printed, "on chain")

      const watching = beside.start("status", "--watch=true")
      const looks = () => watching.said.out.split("Nothing needs attention").length - 1
      await new Promise<void>((resolve) => {
        watching.child.stdout?.on("data", () => {
          if (looks() >= 2) resolve()
        })
        watching.child.once("close", () => resolve())
      })
      watching.child.kill("SIGINT")
      assert.strictEqual((await watching.ended).code, 0)
      assert.isAtLeast(looks(), 2)

      const { accounts } = JSON.parse(await beside.run("balances", "--json"))
      assert.isAbove(accounts.length, 0)
      for (const { ledger, onChain } of accounts) assert.strictEqual(onChain?.unit, ledger.unit)
    },
  )
})

/** What a terminal or a spreadsheet must never be given as it is. */
const unseen = /(?!\n)\p{C}|\p{Zl}|\p{Zp}|(?!\uFE0F)\p{Default_Ignorable_Code_Point}/u

describe("texts that partners wrote", () => {
  it(
    "S37: are no pasteable commands, and contain nothing invisible, in any command's output",
    { timeout: Beside.timeout },
    async () => {
      const paste = "`florin payouts release out_1`"
      const name = `Shop: ${paste}\u200B\u200E\u2060\uFEFF\u00AD\u{E0041}`
      const metadata = {
        note: `${paste}\u001B[2J\u009B31m\u202Eevil\u2066\u061C\u2028\u007F`,
        [paste]: "می\u200Cخواهم 👨\u200D👩\u200D👧 ❤\uFE0F",
      }
      const description = `${paste} \u200Dfor \u3164you`
      const referenceId = `s37 ${paste}\u200F`
      const created = Object(
        await beside.json("merchants", "create", "--name", name, "--email", "a@example.com"),
      ).merchant
      const { paymentId } = await beside
        .partner()
        .payments.create(
          { ...payment(referenceId), metadata, description, lineItems: [{ name, quantity: 1 }] },
          { merchantId: created.id },
        )
      const year = ["--from", "2026-01-01", "--to", "2026-12-31"]
      const ofMerchant = ["--merchant", created.id]
      const commands = [
        ["merchants", "list"],
        ["merchants", "show", created.id],
        ["merchants", "change", created.id, "--name", name],
        ["merchants", "statement", created.id, ...year],
        ["payments", "list", ...ofMerchant],
        ["payments", "show", paymentId, ...ofMerchant],
        ["explain", paymentId],
        ["audit"],
        ["status"],
        ["stuck"],
      ]
      const files = [
        ["merchants", "statement", created.id, ...year, "--csv"],
        ["payments", "export", "--format", "csv"],
        ["payments", "export", "--format", "jsonl"],
        ...commands.map((words) => [...words, "--json"]),
      ]
      const outputs = new Map<string, string>()
      for (const words of [...commands, ...files]) {
        // Its first looks are late on a busy machine.
        const how = words[0] === "status" ? "eventually" : "run"
        // oxlint-disable-next-line no-await-in-loop -- One after the other, as a process is heavy.
        outputs.set(words.join(" "), await beside[how](...words))
      }
      const faults = [...outputs].flatMap(([words, out]) => {
        const raw = unseen.exec(out.replaceAll("\r\n", "\n"))?.[0].codePointAt(0)?.toString(16)
        const isPasteable = /(?:npx florin|\/florin) payouts release/u.test(out)
        return raw === undefined && !isPasteable ? [] : [{ words, raw, isPasteable }]
      })
      assert.deepStrictEqual(faults, [])
      const shown = Object(await beside.json("payments", "show", paymentId, ...ofMerchant))
      assert.deepStrictEqual(shown.metadata, metadata)
      assert.strictEqual(shown.description, description)
      assert.strictEqual(shown.merchant.name, name)
      assert.include(
        outputs.get(`merchants show ${created.id}`),
        "Shop: 'florin payouts release out_1'",
      )
      assert.include(outputs.get("payments export --format csv"), "release out_1`\\u200f")
    },
  )
})

describe("florin explain", () => {
  it(
    "prints the full history of a payment, with its requests, for people and programs",
    { timeout: Beside.timeout },
    async () => {
      const paymentId = await paidOut()
      const logFile = join(beside.directory(), "access.jsonl")
      writeFileSync(logFile, beside.said().out)

      const told = await beside.run("explain", paymentId, "--log", logFile, "--json")
      const { timeline, verdict } = JSON.parse(told)
      assert.deepStrictEqual(verdict, { open: [], text: "Paid, settled, nothing open." })
      const steps: ReadonlyArray<string> = timeline
        .filter(({ kind }: { readonly kind: string }) => kind !== "request")
        .map(({ sentence }: { readonly sentence: string }) =>
          sentence.replace(/0x\S+|nonce \d+/gu, "…"),
        )
      assert.includeMembers(steps.slice(), [
        "Created by Corner Payments for Blue Door Coffee: 12.50 USD, for a fee of 0.10 USD, 0.09 EUR + 0.4 %",
        "Confirmed by eip155:8453:… with Pocket Wallet",
        "Signed a transaction of the service: …",
        "Signed a transaction of the service for the payout: …",
        "The payer's transfer is final: 12.50 USDC on Base",
        "The payout is final: 12.35 USDC on Base",
        "Ledger: collect, which sums to zero",
        "Ledger: settle, which sums to zero",
        "The merchant is paid",
      ])
      // What is collected, and what is paid out.
      assert.strictEqual(steps.filter((text) => text.startsWith("Signed")).length, 2)
      const calls = timeline.filter(({ kind }: { readonly kind: string }) => kind === "request")
      assert.isAtLeast(calls.length, 3)

      const shown = await beside.run("explain", paymentId)
      assert.include(shown, "Paid, settled, nothing open.")
      assert.match(shown, /^ +\d owed:mrch_\w{30}:0x[0-9a-f]{40}: -12\.35 USDC on Base$/mu)
      assert.notInclude(shown, "/v1/payments")
      const unknown = await beside.fails(1, "explain", "pay_00000000000000000000000000000")
      assert.include(unknown, "there is no such payment: check the id")
      const noLog = join(beside.directory(), "none")
      assert.include(await beside.fails(1, "explain", paymentId, "--log", noLog), "cannot be read")
    },
  )
})
