/**
 * Everything that reads what a stranger wrote, in one table: texts in requests, messages of other windows, and what
 * partners and wallets hand to the client.
 *
 * Each row checks what must hold for any text: it is read or refused and nothing is thrown, what was read is printed as
 * it was or reads as the same again, and a refusal does not repeat the text.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { createHmac } from "node:crypto"
import { isIP } from "node:net"
import { assert } from "@effect/vitest"
import * as ApiQuery from "@florin/api/Query"
import * as WireOption from "@florin/api/wire/Option"
import * as WirePayment from "@florin/api/wire/Payment"
import * as ActionResult from "@florin/core/domain/chain/ActionResult"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Outputs from "@florin/core/domain/eip155/Outputs"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Money from "@florin/core/domain/ground/Money"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as PayerSession from "@florin/core/domain/ground/PayerSession"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Rfc3339 from "@florin/core/domain/ground/Rfc3339"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as Unseen from "@florin/core/domain/ground/Unseen"
import * as Version from "@florin/core/domain/ground/Version"
import * as WebUrl from "@florin/core/domain/ground/WebUrl"
import * as Csv from "@florin/core/domain/list/Csv"
import * as Cursor from "@florin/core/domain/list/Cursor"
import * as MerchantQuery from "@florin/core/domain/list/MerchantQuery"
import * as PageLimit from "@florin/core/domain/list/PageLimit"
import * as PaymentQuery from "@florin/core/domain/list/PaymentQuery"
import * as SequenceCursor from "@florin/core/domain/list/SequenceCursor"
import * as Statement from "@florin/core/domain/list/Statement"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as AddressBlock from "@florin/core/domain/partner/AddressBlock"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as BrandColor from "@florin/core/domain/partner/BrandColor"
import * as CheckoutOrigin from "@florin/core/domain/partner/CheckoutOrigin"
import * as Idempotency from "@florin/core/domain/partner/Idempotency"
import * as Likeness from "@florin/core/domain/partner/Likeness"
import * as CollectData from "@florin/core/domain/payment/CollectData"
import * as PageToken from "@florin/core/domain/payment/PageToken"
import * as PaymentLink from "@florin/core/domain/payment/PaymentLink"
import * as PaymentRequest from "@florin/core/domain/payment/PaymentRequest"
import { Cause, Effect, Exit, Result, Schema } from "effect"
import unhomoglyph from "unhomoglyph"
import * as CollectForm from "../../../client/src/CollectForm.ts"
import * as Link from "../../../client/src/Link.ts"
import * as ReceivedWebhook from "../../../client/src/Webhook.ts"
import * as EmbedLink from "../../../embed/src/Link.ts"
import * as Protocol from "../../../embed/src/Protocol.ts"
import * as Revert from "../../../evm/src/node/Revert.ts"
import * as Frame from "../../../pages/src/checkout/Frame.ts"
import * as InjectedWallet from "../../../pages/src/checkout/InjectedWallet.ts"
import * as SafeUrl from "../../../pages/src/checkout/SafeUrl.ts"
import * as Prefill from "../../../pages/src/collect/Prefill.ts"
import * as Body from "../../src/edge/Body.ts"
import * as Accept from "../../src/http/Accept.ts"
import * as ClientAddress from "../../src/http/ClientAddress.ts"
import * as Exchange from "../../src/http/Exchange.ts"
import * as Query from "../../src/http/Query.ts"
import * as Routing from "../../src/http/Routing.ts"
import * as Logos from "../../src/pages/Logos.ts"
import * as Messages from "./Messages.ts"
import type { Parser } from "./Search.ts"

/** Node's limit for the head of a request, and ours for a body. Messages have none. */
const head = 16 * 1024
const body = Limits.bodyMaxBytes

const { catalog } = BuiltIn
const key = Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(7)]))
const trust = { payLinkHost: "pay.example" }
const now = Date.UTC(2026, 8, 1)
const paymentId = PaymentId.PaymentId.make("pay_1")
const partnerId = PartnerId.PartnerId.make("prtn_1")
const scope = { partnerId, mode: "test" } as const
const address = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
const token = Eip155.formatToken(catalog.assets[0]?.token ?? assert.fail("there are no tokens"))

/** Shorter texts may be in a message by chance. */
const repeatedMin = 12

/** What a parser returned. What was read must pass the check, and a refusal must not repeat the text. */
const judged = <A, E extends { readonly message: string }>(
  read: Result.Result<A, E>,
  text: string,
  check: (value: A) => unknown = () => undefined,
): Result.Result<A, E> => {
  if (Result.isSuccess(read)) check(read.success)
  else if (text.length >= repeatedMin) assert.notInclude(read.failure.message, text)
  return read
}

const json = (text: string): Schema.Json | undefined =>
  Result.getOrUndefined(Result.try((): Schema.Json => JSON.parse(text)))

/** The parts of a text that stands for several. */
const parts = (text: string): ReadonlyArray<string> => text.split("\n")

/** Runs what must end, in a value or a declared error, and at once. */
const settled = <A, E>(effect: Effect.Effect<A, E>): unknown => {
  const exit = Effect.runSyncExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  assert.isFalse(Cause.hasDies(exit.cause), Cause.pretty(exit.cause))
  return Cause.squash(exit.cause)
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "latin1"))

/** The hosts of a URL, as the platform reads it. */
const platformUrl = (text: string): URL | undefined => URL.parse(text) ?? undefined

const checkUrl =
  (text: string) =>
  ({ host, port, scheme }: WebUrl.WebUrl): void => {
    const url = platformUrl(text) ?? assert.fail("the platform refuses this URL")
    assert.strictEqual(url.protocol, `${scheme}:`)
    assert.strictEqual(`${url.username}${url.password}`, "")
    assert.strictEqual(Number(url.port || (scheme === "https" ? 443 : 80)), port)
    if (host._tag === "Name") return assert.strictEqual(url.hostname, host.name)
    const seen = WebUrl.parseAddress(url.hostname.replaceAll(/[[\]]/gu, ""))
    assert.deepStrictEqual(seen, host.address)
  }

/** Whether the platform would open this link on the trusted host. */
const isOurs = (text: string): boolean => {
  const { hostname, protocol } = platformUrl(text) ?? {}
  return (
    protocol === "https:" &&
    (hostname === trust.payLinkHost || hostname?.endsWith(`.${trust.payLinkHost}`) === true)
  )
}

const readLink = (text: string) =>
  judged(PaymentLink.parse(text, trust), text, (link) => {
    if (link._tag === "PairingWithPayment") return assert.match(link.uri, /^wc:/iu)
    if (link._tag !== "PaymentLink") return
    assert.isTrue(text === link.paymentId || isOurs(text))
    const printed = PaymentLink.format(trust, link.paymentId)
    assert.deepStrictEqual(PaymentLink.parse(printed, trust), Result.succeed(link))
  })

const paymentQuery = Query.reader(Schema.Struct(ApiQuery.payments))
const merchantQuery = Query.reader(Schema.Struct(ApiQuery.merchants))
const payoutQuery = Query.reader(Schema.Struct(ApiQuery.payouts))
const statementQuery = Query.reader(Schema.Struct(ApiQuery.statement))

const readQueries = (text: string) => {
  const query = Query.parse(text)
  const payments = paymentQuery(query)
  const merchants = merchantQuery(query)
  const raw = Object.fromEntries(query)
  return [
    payments,
    merchants,
    payoutQuery(query),
    statementQuery(query),
    PaymentQuery.parse(raw, { key, catalog, scopeText: "scope", allowCancelled: true }),
    MerchantQuery.parse({ status: raw["status"], search: raw["search"] }, { key, scope }),
  ]
}

const list = { filter: {}, sort: { by: "date", direction: "asc" } } as const

const readCursor = (text: string) =>
  judged(Cursor.decode(key, "list", text), text, (position) =>
    assert.strictEqual(Cursor.encode(key, "list", position), text),
  )

/** Cursors of an earlier release hold whatever it wrote. */
const readOwnCursor = (text: string) => {
  const position = parts(text)
  const sealed = Cursor.encode(key, "list", position)
  assert.deepStrictEqual(Cursor.decode(key, "list", sealed), Result.succeed(position))
  assert.isTrue(Result.isFailure(Cursor.decode(key, "another list", sealed)))
  const sequence = JSON.stringify(["events", partnerId, "test", null, null])
  const merchants = JSON.stringify(["merchants", partnerId, "test", null, null])
  return [
    SequenceCursor.read(key, { list: "events", ...scope }, Cursor.encode(key, sequence, position)),
    MerchantQuery.readCursor(key, scope, list.filter, Cursor.encode(key, merchants, position)),
  ]
}

const readSealedToken = (text: string) =>
  judged(PageToken.read(Seal.seal(key, "page", bytesOf(text)), key, 0), text, (pass) =>
    assert.deepStrictEqual(
      PageToken.read(PageToken.issue(pass, key), key, 0),
      Result.succeed(pass),
    ),
  )

const readTime = (text: string) => {
  const time = Rfc3339.read(text)
  if (time === undefined) return undefined
  assert.isTrue(Number.isSafeInteger(time))
  const isInYears = time >= Date.UTC(1, 0) && time < Date.UTC(9999, 0)
  if (isInYears) assert.strictEqual(Rfc3339.read(new Date(time).toISOString()), time)
  const isPlain = isInYears && !/:60|\.\d{4}/u.test(text)
  if (isPlain) assert.strictEqual(Date.parse(text.toUpperCase()), time)
  return time
}

const readIp = (text: string) => {
  const found = WebUrl.parseAddress(text)
  if (found !== undefined) assert.notStrictEqual(isIP(text), 0)
  else assert.isTrue(isIP(text) === 0 || text.includes("%"))
  const isBlock = AddressBlock.isBlock(text)
  if (isBlock) assert.isTrue(AddressBlock.contains(text, text))
  return [
    found,
    found !== undefined && WebUrl.isPublic(found),
    isBlock,
    AddressBlock.covers("2001:db8::/32", text),
    AddressBlock.contains("10.0.0.0/8", text),
  ]
}

const callerOf = ClientAddress.reader("X-Forwarded-For")
const directCallerOf = ClientAddress.reader(null)

const readCaller = (text: string) => {
  const caller = callerOf({ address: undefined, header: () => text })
  if (caller !== null) assert.isTrue(isIP(caller) === 4 || isIP(`${caller}::`) === 6)
  const last = text.split(",").at(-1)?.trim()
  assert.strictEqual(callerOf({ address: undefined, header: () => last }), caller)
  return [caller, directCallerOf({ address: text, header: () => undefined })]
}

const route = Routing.make(
  ["/v1/payments", "/v1/payments/:id", "/v1/payments/:id/refunds/:refundId", "/icons/:name"].map(
    (path) => ({ method: "GET", path }),
  ),
)

const readTarget = (text: string) => {
  const { path, query } = Exchange.locate(text)
  const found = route("GET", path)
  if (found._tag === "Route") {
    for (const value of Object.values(found.params)) assert.notStrictEqual(value, "")
  }
  return [path, query, found, route("PUT", path)]
}

/** A body after its content type, as the server reads it. */
const readBody = (text: string) => {
  const [type = "", ...rest] = parts(text)
  const bytes = bytesOf(rest.join("\n"))
  const incoming = {
    method: "POST",
    path: "/",
    query: "",
    header: (name: string) => (name === "content-type" ? type : undefined),
    body: Effect.succeed(bytes),
  }
  return settled(Body.read(incoming))
}

const readFields = Schema.decodeUnknownResult(Schema.Array(WireOption.CollectedField))
const createBody = Body.reader(WirePayment.CreateRequest)
const confirmBody = Body.reader(WireOption.ConfirmRequest)

const readCreate = (text: string) =>
  Result.flatMap(createBody(json(text)), (request) =>
    Result.map(PaymentRequest.read(request, catalog, { mode: "test", now }), (asked) => {
      const printed = Amount.format(asked.amount, catalog)
      assert.deepStrictEqual(Amount.read("amount", printed, catalog), Result.succeed(asked.amount))
      assert.isAbove(asked.expiresAt, now / 1000)
      return asked
    }),
  )

const readConfirm = (text: string) =>
  Result.flatMap(confirmBody(json(text)), ({ results }) =>
    Result.flatMap(ActionResult.flatten(results), (outputs) =>
      Result.map(Outputs.read("permit2", outputs), (read) => {
        const spelled = outputs.map(Outputs.canonicalSignature)
        assert.deepStrictEqual(spelled.map(Outputs.canonicalSignature), spelled)
        return [read, spelled]
      }),
    ),
  )

const reversed = (value: Schema.Json): Schema.Json => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(reversed)
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, inner]) => [name, reversed(inner)]),
  )
}

const readFingerprint = (text: string) => {
  const value = json(text)
  if (value === undefined) return undefined
  const fingerprint = Idempotency.fingerprint(value)
  if (Result.isSuccess(fingerprint)) {
    assert.deepStrictEqual(Idempotency.fingerprint(reversed(value)), fingerprint)
  }
  return fingerprint
}

/** The values of a line of CSV, by RFC 4180. */
const cellsOf = (line: string): ReadonlyArray<string> =>
  [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^",]*))/gu)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
  )

const readCsv = (text: string) => {
  const values = text.split("|")
  const line = Csv.line(values)
  assert.match(line, /^[^\r\n]*\r\n$/u)
  const cells = cellsOf(line.slice(0, -2))
  const wanted = values.map((value) => Unseen.escape(value))
  assert.deepStrictEqual(
    cells.map((cell, index) => (cell === `'${wanted[index]}` ? wanted[index] : cell)),
    wanted,
  )
  for (const cell of cells) assert.isTrue(/^[^=+\-@\t]|^-?[0-9.]+$|^$/u.test(cell))
  return line
}

const logos = (text: string) =>
  Effect.runPromise(
    Effect.flatMap(
      Logos.make(() => Effect.succeed(bytesOf(text))),
      (logo) => logo("https://shop.example/logo"),
    ),
  )

const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`
const event = {
  id: "evt_1",
  type: "payment.created",
  createdAt: "2026-09-01T00:00:00Z",
  data: { paymentId: "pay_1", status: "requires_action" },
}

const verify = async (call: Omit<ReceivedWebhook.WebhookCall, "secret">) => {
  try {
    const verified = await ReceivedWebhook.verifyWebhook({
      ...call,
      secret,
      toleranceInS: Number.POSITIVE_INFINITY,
    })
    return verified
  } catch (error) {
    if (error instanceof ReceivedWebhook.InvalidWebhook) return error.reason
    throw error
  }
}

/** Headers and body of a call that anybody may make. The right signature is in no example. */
const readForgedWebhook = async (text: string) => {
  const [id = "", timestamp = "", signature = "", ...rest] = parts(text)
  const headers = {
    "Webhook-Id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": [signature],
  }
  const reason = await verify({ headers, body: rest.join("\n") })
  assert.isTrue(reason === "headers" || reason === "signature")
  return reason
}

/** A body that was signed, as a service of another release may send it. */
const readSignedWebhook = (text: string) => {
  const signed = createHmac("sha256", Buffer.alloc(32, 5)).update(`msg.1.${text}`).digest("base64")
  const headers = {
    "webhook-id": "msg",
    "webhook-timestamp": "1",
    "webhook-signature": `v1,${signed}`,
  }
  return verify({ headers, body: text })
}

const readSecret = (text: string) =>
  judged(Webhook.parseSecret(text), text, (read) => assert.strictEqual(read, text))

const shop = "https://shop.example"

/** A checkout in a frame of a shop's page, and what it posts. */
const readFrameMessage = (text: string) => {
  const [origin = "", ...rest] = parts(text)
  const posted: Array<readonly [message: unknown, to: string]> = []
  const parent = {
    postMessage: (message: unknown, to: string) => void posted.push([message, to]),
  }
  const listeners: Array<Parameters<Frame.Inside["addEventListener"]>[1]> = []
  const frame = Frame.make(
    {
      location: { search: "?embed=modal" },
      self: {},
      parent,
      addEventListener: (_, listener) => void listeners.push(listener),
    },
    [shop, "https://*.shop.example", "http://localhost:*"],
  )
  frame?.report({ type: "resize", height: 100 })
  // A fake of what only browsers have.
  const posting = new MessageEvent("message", { data: Messages.revive(rest.join("\n")), origin })
  Object.defineProperty(posting, "source", { value: parent })
  for (const listener of listeners) listener(posting)
  const trusted = /^https:\/\/(?:[^/@:]+\.)?shop\.example$|^http:\/\/localhost(?::\d+)?$/u
  for (const [, to] of posted) assert.match(to, trusted)
  return posted
}

const readReport = (text: string) => {
  const data = Messages.revive(text)
  const report = Protocol.readReport(data)
  if (report !== undefined) {
    assert.deepStrictEqual(Protocol.readReport(Protocol.seal(report)), report)
  }
  return [report, Protocol.readRequest(data)]
}

const readEmbedLink = (text: string) => {
  const link = EmbedLink.parse(text)
  if (link === undefined) return undefined
  const framed = new URL(EmbedLink.frameUrl(link, "modal", "de"))
  assert.strictEqual(framed.origin, link.origin)
  assert.strictEqual(framed.searchParams.get("embed"), "modal")
  assert.deepStrictEqual(EmbedLink.parse(framed.href), framed)
  return framed.href
}

const readUrlOfOthers = (text: string) => {
  const web = SafeUrl.web(text, shop)
  if (web !== undefined) assert.match(web, /^https:\/\/[^@/]+(?:\/|$)/u)
  const form = SafeUrl.ownForm(text, shop)
  if (form !== undefined) assert.isTrue(form.startsWith(`${shop}/collect/`))
  const email = SafeUrl.email(text, "about")
  if (email !== undefined) assert.match(email, /^mailto:[^?]+\?subject=about$/u)
  return [
    web,
    form,
    email,
    SafeUrl.merchant(text, { mode: "test" }, shop),
    SafeUrl.iconPath(text),
    SafeUrl.transaction("https://explorer.example/tx/", text, shop),
  ]
}

const readColor = (text: string) => {
  const color = BrandColor.parse(text)
  if (color !== undefined) {
    const { button, onButton } = BrandColor.palette(color, "light")
    assert.isAtLeast(BrandColor.contrast(button, onButton), BrandColor.readableContrast)
  }
  return color
}

const readPrefill = (text: string) => {
  const values = Object.fromEntries(Prefill.decode(text))
  const { tosConfirmed: _, ...known } = values
  const url = CollectForm.prefillUrl(shop, known)
  const taken = Prefill.take(url) ?? assert.fail("there is no prefill")
  assert.deepStrictEqual(Object.fromEntries(Prefill.decode(taken.encoded)), known)
  assert.notInclude(taken.rest, "prefill")
  return values
}

const readQuantity = (text: string) =>
  judged(Money.parse(text), text, (quantity) => assert.strictEqual(Money.format(quantity), text))

const message = 256 * 1024
const create = JSON.stringify({
  referenceId: "ORDER-7",
  amount: { unit: "iso4217/USD", value: "1250" },
  expiresAt: 1_788_220_900,
  checkout: { successUrl: "https://shop.example/a", errorUrl: "http://localhost:1/" },
  metadata: { a: "b" },
  description: "Coffee",
  lineItems: [{ name: "Bag", quantity: 2, amount: { unit: "iso4217/USD", value: "1" } }],
})
const prefill = Buffer.from(JSON.stringify({ fullName: "Ada", dob: "1990-02-03" }))
const stranger = `eip155:8453:${address}`
const signature = `0x${"ab".repeat(64)}1b`

/** The table. A name is what `--only` takes, and the name of the file with the inputs that are kept. */
export const all: ReadonlyArray<Parser> = [
  {
    name: "accounts",
    most: body,
    examples: [stranger, stranger.toLowerCase(), `eip155:8453:${address.toUpperCase()}`],
    read: (text) =>
      judged(Eip155.parseAccount(text), text, (account) => {
        const printed = Eip155.formatAccount(account)
        assert.deepStrictEqual(Eip155.parseAccount(printed), Result.succeed(account))
        assert.strictEqual(printed.toLowerCase(), text.toLowerCase())
      }),
  },
  {
    name: "chains-and-tokens",
    most: body,
    examples: ["eip155:8453", token, token.toLowerCase()],
    read: (text) => [
      judged(Eip155.parseChain(text), text, (chain) => assert.strictEqual(chain, text)),
      judged(Caip.split("asset", text), text),
      judged(Eip155.parseToken(text), text, (read) =>
        assert.deepStrictEqual(Eip155.parseToken(Eip155.formatToken(read)), Result.succeed(read)),
      ),
    ],
  },
  {
    name: "units",
    most: body,
    examples: ["iso4217/USD", `caip19/${token}`],
    read: (text) =>
      judged(Amount.parseUnit(text, catalog), text, (unit) =>
        assert.deepStrictEqual(
          Amount.parseUnit(Amount.formatUnit(unit, catalog), catalog),
          Result.succeed(unit),
        ),
      ),
  },
  { name: "quantities", most: body, examples: ["0", "1250", "9".repeat(78)], read: readQuantity },
  {
    name: "payment-links",
    most: message,
    examples: [
      "pay_1",
      "https://pay.example/?pid=pay_1",
      "https://shop.pay.example/pay_1",
      "wc:ab@2?relay-protocol=irn&symKey=cd&pay=https%3A%2F%2Fpay.example%2F%3Fpid%3Dpay_1",
    ],
    read: (text) => [readLink(text), Link.parsePaymentLink(text, trust)],
  },
  {
    name: "embed-links",
    most: message,
    examples: ["https://pay.example/?pid=pay_1", "http://localhost:3000/?pid=pay_1&lang=de#a"],
    read: readEmbedLink,
  },
  {
    name: "payment-ids",
    most: head,
    examples: ["pay_1", "pay_0123456789abcdefghijABCDEFGHIJ"],
    read: (text) => judged(PaymentId.parse(text), text, (read) => assert.strictEqual(read, text)),
  },
  {
    name: "idempotency-keys",
    most: head,
    examples: ["key-1", "a b", "~".repeat(Limits.idempotencyKeyMaxLength)],
    read: (text) =>
      judged(Idempotency.parseKey(text), text, (read) => assert.strictEqual(read, text)),
  },
  {
    name: "fingerprints",
    most: body,
    examples: ['{"a":1,"b":[null,true,"x"]}', "[[[[1e400]]]]"],
    read: readFingerprint,
  },
  {
    name: "queries",
    most: head,
    examples: [
      "status=succeeded&limit=10&sortBy=amount&sortDir=asc",
      "network=eip155:8453,eip155:1&token_symbol=USDC&currency=usd&startTs=2026-09-01T00:00:00Z",
      "search=shop&status=active&cursor=abc",
      "from=2026-09-01&to=2026-09-30&format=csv",
      `referenceId=a&merchantId=mrch_1&asset=${token}`,
    ],
    read: readQueries,
  },
  {
    name: "cursors",
    most: head,
    examples: [Cursor.encode(key, "list", ["1", "mrch_1"])],
    read: readCursor,
  },
  {
    name: "own-cursors",
    most: 2000,
    examples: ["12", `${now}\nmrch_1`, "1e3", "\ud800"],
    read: readOwnCursor,
  },
  {
    name: "seals",
    most: head,
    examples: [Seal.seal(key, "option", bytesOf("payload"))],
    read: (text) =>
      judged(Seal.open(key, "option", text), text, (payload) =>
        assert.strictEqual(Seal.seal(key, "option", payload), text),
      ),
  },
  {
    name: "page-tokens",
    most: 2000,
    examples: [
      "\u0003\u0001\u0000\u0000\u0005pay_1\u0001\u0002\u0003\u0004\u0005\u0006\u0000\u0000",
      "\u0003\u0000\u0001\u0000\u0005pay_1\u0001\u0002\u0003\u0004\u0005\u0006\u0000\u000cabcdefghijkl\u0000\u0008eip155:1\u0080\u0002\u00ab\u00cd",
    ],
    read: (text) => [readSealedToken(text), judged(PageToken.read(text, key, 0), text)],
  },
  {
    name: "payer-sessions",
    most: head,
    examples: [PayerSession.seal(PayerSession.ofBytes(new Uint8Array(9)), paymentId, key)],
    read: (text) => {
      const session = PayerSession.open(text, paymentId, key)
      if (session !== null) assert.strictEqual(PayerSession.seal(session, paymentId, key), text)
      return session
    },
  },
  {
    name: "api-keys",
    most: head,
    examples: [Result.getOrThrow(ApiKey.make("test", "partner", new Uint8Array(32)))],
    read: (text) => judged(ApiKey.parse(text), text),
  },
  {
    name: "times",
    most: head,
    examples: [
      "2026-02-18T09:30:00Z",
      "2024-02-29t23:59:60.123456+05:30",
      "0000-01-01T00:00:00.0001-23:59",
    ],
    read: readTime,
  },
  {
    name: "periods",
    most: head,
    examples: ["2026-09-01\n2026-09-30", "2026-02-30\n2026-01-01"],
    read: (text) => {
      const [from = "", to = ""] = parts(text)
      return judged(Statement.parsePeriod({ from, to }), text, ({ before, from: start }) =>
        assert.isBelow(start, before),
      )
    },
  },
  {
    name: "versions",
    most: head,
    examples: [...Version.all, "2026-13-01"],
    read: (text) => judged(Version.parse(text), text, (read) => assert.strictEqual(read, text)),
  },
  {
    name: "page-limits",
    most: head,
    examples: ["1", "100", "0", "1e2"],
    read: (text) => PageLimit.read(text),
  },
  {
    name: "urls",
    most: body,
    examples: [
      "https://shop.example/hook?a=b",
      "http://localhost:8080/",
      "https://[2001:db8::1]:8443/%20",
      "https://0x7f.1/",
      "https://xn--bcher-kva.example",
    ],
    read: (text) => [
      judged(WebUrl.parse(text), text, checkUrl(text)),
      judged(WebUrl.parseIn.live(text), text),
      judged(WebUrl.parseIn.test(text), text),
      judged(Webhook.parseUrl(text, { allowPrivate: false }), text, ({ host }) =>
        assert.isTrue(WebUrl.mayBePublic(host)),
      ),
      judged(CheckoutOrigin.parse(text, "test"), text),
    ],
  },
  {
    name: "ip-addresses",
    most: head,
    examples: ["203.0.113.7", "2001:db8::1", "::ffff:1.2.3.4", "10.0.0.0/8", "2001:db8::/64"],
    read: readIp,
  },
  {
    name: "proxy-headers",
    most: head,
    examples: ["203.0.113.7", "1.2.3.4, 5.6.7.8:90", "[2001:db8::1]:443", "::ffff:1.2.3.4"],
    read: readCaller,
  },
  {
    name: "accept-headers",
    most: head,
    examples: ["text/html, application/json;q=0.9, */*;q=0.1", "gzip;q=0, br", "de-CH, en;q=0.5"],
    read: (text) => [
      Accept.includes(text, "gzip"),
      Accept.prefersHtml(text),
      Accept.ranked(text).map((name) => assert.strictEqual(name, name.trim().toLowerCase())),
    ],
  },
  {
    name: "targets",
    most: head,
    examples: [
      "/v1/payments/pay_1?a=b",
      "http://pay.example/v1/payments",
      "/v1/payments/%70%/refunds/x",
      "/icons/usdc.svg",
    ],
    read: readTarget,
  },
  {
    name: "bodies",
    most: body,
    examples: [
      'application/json\n{"a":[{}]}',
      "application/json; charset=utf-8\n\u00ff",
      "application/a.b+json;x=y\n[[[]]]",
    ],
    read: readBody,
  },
  { name: "payment-requests", most: body, examples: [create], read: readCreate },
  {
    name: "confirm-requests",
    most: body,
    examples: [
      JSON.stringify({ optionId: "o", results: [{ type: "walletRpc", data: [signature] }] }),
      JSON.stringify({ optionId: "o", results: [{ type: "walletRpc", data: [signature, "0x"] }] }),
    ],
    read: readConfirm,
  },
  {
    name: "collected-data",
    most: body,
    examples: [
      JSON.stringify([
        { id: "fullName", value: "Ada Example" },
        { id: "dob", value: "1990-02-03" },
        { id: "pobCountry", value: "GB" },
        { id: "pobAddress", value: "1 Example Street" },
        { id: "tosConfirmed", value: "true" },
      ]),
    ],
    read: (text) => Result.flatMap(readFields(json(text)), CollectData.fromFields),
  },
  {
    name: "names",
    most: 1000,
    examples: ["PayPal", "\u0420\u0430\u0443Pal", "\u304c\u3099", "Z\u0351\u036b"],
    read: (text) => {
      const keys = Likeness.of(text, unhomoglyph)
      assert.isTrue(Likeness.isAlike(keys, Likeness.of(text, unhomoglyph)))
      return [keys, Unseen.mask(text), Unseen.escape(text)]
    },
  },
  {
    name: "csv",
    most: 20_000,
    examples: ["ORDER-1|-12.50|=1+1", 'a "b", c|\u202e', "\uff1d1|+4"],
    read: readCsv,
  },
  { name: "brand-colors", most: body, examples: ["#1F6FEB", "#000000", "#fff"], read: readColor },
  {
    name: "logos",
    most: body,
    examples: ["\u0089PNG\r\n\u001a\n", "GIF89a", "RIFF\u0001\u0002\u0003\u0004WEBP", "<svg>"],
    read: logos,
  },
  {
    name: "forged-webhooks",
    most: body,
    examples: [`msg\n1\nv1,${Buffer.alloc(32).toString("base64")}\n${JSON.stringify(event)}`],
    read: readForgedWebhook,
  },
  {
    name: "signed-webhooks",
    most: body,
    examples: [JSON.stringify(event), "null", "[]"],
    read: readSignedWebhook,
  },
  { name: "webhook-secrets", most: body, examples: [secret], read: readSecret },
  {
    name: "embed-messages",
    most: message,
    examples: [
      '{"florin":1,"type":"ready","title":"Pay","close":"Close"}',
      '{"florin":1,"type":"resize","height":"$NaN"}',
      '{"florin":1,"type":"status","paymentId":"pay_1","status":"succeeded","isFinal":true}',
      '{"florin":1,"type":"hello"}',
    ],
    read: readReport,
  },
  {
    name: "frame-messages",
    most: message,
    examples: [
      `${shop}\n{"florin":1,"type":"hello"}`,
      'https://a.shop.example\n{"florin":1,"type":"close"}',
      'http://localhost:3000\n{"florin":1,"type":"hello"}',
    ],
    read: readFrameMessage,
  },
  {
    name: "form-messages",
    most: message,
    examples: [
      '{"type":"IC_COMPLETE","success":true}',
      '{"type":"IC_ERROR","error":"the form could not be sent"}',
    ],
    read: (text) => CollectForm.readFormMessage(text),
  },
  {
    name: "prefills",
    most: message,
    examples: [prefill.toString("base64url"), `${prefill.toString("base64")}===`],
    read: readPrefill,
  },
  {
    name: "announced-wallets",
    most: message,
    examples: [
      '{"info":{"name":" A wallet ","rdns":"a.b","icon":"data:image/png;base64,AA=="},"provider":{"request":"$function"}}',
    ],
    read: (text) => {
      const wallet = InjectedWallet.read(Messages.revive(text))
      return wallet && [wallet.id, wallet.name, wallet.icon]
    },
  },
  {
    name: "walletconnect-messages",
    most: message,
    examples: [
      `{"_tag":"Pairing","uri":"wc:${"a".repeat(64)}@2?relay-protocol=irn"}`,
      `{"_tag":"Connected","accounts":["${stranger}"],"name":"W","icon":"$undefined"}`,
      '{"_tag":"Result","id":0,"result":null}',
      '{"_tag":"Failed","id":1,"code":4001}',
      '{"_tag":"Ended","code":4900}',
      '{"_tag":"Stored","stored":{"a":"b"}}',
    ],
    read: Messages.hearFromFrame,
  },
  {
    name: "urls-of-others",
    most: message,
    examples: [
      "https://shop.example/a?b#c",
      "javascript:alert(1)",
      "https://other.example/collect/?pid=pay_1",
      "a@b.example",
      "https://x.example/icons/usdc.svg",
      `0x${"1".repeat(64)}`,
    ],
    read: readUrlOfOthers,
  },
  {
    name: "reverts",
    most: message,
    examples: [
      `0x08c379a0${"20".padStart(64, "0")}${"3".padStart(64, "0")}${"616263".padEnd(64, "0")}`,
      "Reverted 0x4e487b71",
    ],
    read: (text) => Revert.reasonOf(text),
  },
]
