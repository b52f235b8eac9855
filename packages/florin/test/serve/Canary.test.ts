/**
 * Secrets that are sent through every route into real processes, which must write none of them.
 *
 * @module
 */
import { rmSync, writeFileSync } from "node:fs"
import { stderr } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Counts from "@florin/testing/Counts"
import type * as Wallet from "@florin/testing/Wallet"
import { Effect, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "../../../postgres/src/Connection.ts"
import * as Authenticator from "../../../server/test-support/authenticator.ts"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Setting from "../../src/serve/Setting.ts"
import * as Settings from "../../src/serve/Settings.ts"
import * as Calls from "../canary/Calls.ts"
import * as Listener from "../canary/Listener.ts"
import * as Plants from "../canary/Plants.ts"
import * as Service from "../canary/Service.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

/** A machine with much else to do takes minutes. */
const timeout = 900_000

/** What may come out where, and why. Everything else that is found is a leak. */
const allowed: ReadonlyArray<{
  readonly plants: RegExp
  readonly sinks: ReadonlyArray<Plants.Sink>
  readonly why: string
}> = [
  {
    plants: /header Sdk-(?:Name|Version|Platform)$/u,
    sinks: ["log"],
    why: "what a wallet's software calls itself is asked for our log",
  },
  {
    plants: /^payments\.create(?:Alias)? body (?:referenceId|metadata name|metadata value)$/u,
    sinks: ["response", "event", "webhook", "command"],
    why: "a merchant's own words about its payment, told to itself, and to the operator who explains it",
  },
  {
    plants: /^payments\.create(?:Alias)? body (?:description|lineItems name)$/u,
    sinks: ["response", "command"],
    why: "the merchant shows its payer what the payment is for, and the operator explains it",
  },
  {
    plants: /^refunds\.create body reason$/u,
    sinks: ["response", "command"],
    why: "the merchant's note about its refund, which it reads, and the operator who explains it",
  },
  {
    plants: /^payments\.create(?:Alias)? body checkout/u,
    sinks: ["response"],
    why: "the checkout sends the payer's browser there",
  },
  {
    plants:
      /^merchants\.(?:create|update) body (?:merchantName|iconUrl|supportUrl|checkoutOrigins)$/u,
    sinks: ["response", "audit"],
    why: "payers are shown them, so who changed them to what is in the audit log",
  },
  {
    plants: /^merchants\.(?:create|update) body (?:merchantEmail|supportEmail)$/u,
    sinks: ["response"],
    why: "the partner reads what it wrote; an address belongs to a person, so the audit log has none",
  },
  {
    plants: /^keys\.create body name$/u,
    sinks: ["response", "audit", "command"],
    why: "it tells keys apart",
  },
  {
    plants: /^webhooks\.(?:create|change|remove) body url/u,
    sinks: ["response", "command"],
    why: "the partner and the operator see where events are sent; it may hold a secret, so the audit log has its origin only",
  },
  {
    plants: /^(?:option id|payer's session|page's token)$/u,
    sinks: ["response"],
    why: "the payer's wallet and pages work with them",
  },
]

const reasonOf = ({ sink, what }: Plants.Find) =>
  allowed.find(({ plants, sinks }) => plants.test(what) && sinks.includes(sink))

type Json = Calls.Json

/** A member of an answer; fails where there is none. */
const at = (value: Json | undefined, ...path: ReadonlyArray<string | number>): Json =>
  path.reduce<Json>((inner, name) => {
    const found =
      typeof inner === "object" && inner !== null
        ? Object.entries(inner).find(([key]) => key === String(name))
        : undefined
    return found === undefined
      ? assert.fail(`there is no ${path.join(".")} in ${JSON.stringify(value)}`)
      : found[1]
  }, value ?? null)
const text = (value: Json | undefined, ...path: ReadonlyArray<string | number>): string =>
  String(at(value, ...path))

/** Changes each table, one after the other: workers read several. */
const onEachTable = (database: string, change: (name: string) => string, kinds = ["r"]) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql<{ readonly name: string }>`
      SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'florin'::regnamespace AND relkind::text = ANY(${kinds}::text[])
        AND relname <> 'schema_versions'`
    for (const { name } of tables) yield* sql.unsafe(`ALTER TABLE florin.${name} ${change(name)}`)
  }).pipe(
    Effect.provide(Connection.layer({ url: Redacted.make(database) })),
    Effect.scoped,
    Effect.runPromise,
  )

const play = async (
  database: string,
  chains: ReadonlyArray<LocalChains.Reached>,
  directory: string,
): Promise<void> => {
  const plants = Plants.make()
  const service = await Service.begin(plants, database, chains, directory)
  const { note } = service
  const issued = await Serving.register(database, service.url)
  const partners = await service.command("partners", "list", "--json")
  const [{ id: partnerId }] = JSON.parse(partners.out).partners
  const keyOf = (what: string, key: string) => {
    plants.value(what, key.slice(-24))
    return key
  }
  const makeKey = async (name: string) => {
    const { out } = await service.command(
      ..."keys create --mode test --scopes read,pay,refund,manage,webhooks,keys --partner".split(
        " ",
      ),
      partnerId,
      "--name",
      name,
    )
    const key = /flr_test_pk_\w+/u.exec(out)?.[0] ?? assert.fail(out)
    service.forgive(key)
    return keyOf(name, key)
  }
  const partnerKey = await makeKey("partner's API key")
  const misusedKey = await makeKey("API key in wrong places")
  keyOf("partner's first API key", issued.partnerKey)
  const walletKey = keyOf("wallet's API key", issued.walletKey)
  const { merchantId } = issued

  interface Sent {
    readonly method: string
    readonly path: string
    readonly query?: ReadonlyArray<readonly [string, string]>
    readonly headers?: { readonly [name: string]: string }
    readonly body?: Json | undefined
    readonly raw?: string
  }
  const streams: Array<Promise<void>> = []
  const ended = new AbortController()
  /** A stream is read until the end of the test. */
  const readStream = async (body: NonNullable<Response["body"]>) => {
    const decoder = new TextDecoder()
    let all = ""
    try {
      for await (const part of body) all += decoder.decode(part, { stream: true })
    } catch {
      // It was ended.
    }
    note("event", all)
  }
  const send = async ({ body, headers, method, path, query = [], raw }: Sent) => {
    const search =
      query.length === 0
        ? ""
        : `?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]))}`
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(`${service.url}${path}${search}`, {
      method,
      signal: ended.signal,
      headers: { ...(sent !== undefined && { "content-type": "application/json" }), ...headers },
      ...(sent !== undefined && { body: sent }),
    })
    const told = `${response.status} ${JSON.stringify([...response.headers])}`
    if (response.headers.get("content-type") === "text/event-stream" && response.body !== null) {
      streams.push(readStream(response.body))
      return { status: response.status, text: told, body: null }
    }
    const answer = await response.text()
    const isEvents = path.startsWith("/v1/events")
    const isAudit = path.startsWith("/v1/audit-log")
    const sink =
      response.status >= 400 ? "error" : isEvents ? "event" : isAudit ? "audit" : "response"
    note(sink, `${told} ${answer}`)
    const isJson = response.headers.get("content-type") === "application/json"
    const read: Json = isJson ? JSON.parse(answer) : null
    const cookie = response.headers.get("set-cookie")?.split(";")[0]
    return { status: response.status, text: answer, body: read, cookie }
  }

  const untold = { "Last-Event-Id": undefined, "X-Api-Key": undefined, cursor: undefined }
  const common = { ...untold, "Svc-Version": Calls.version, merchantId, "Merchant-Id": merchantId }
  const around = (operation: string) => ({
    "Api-Key": partnerKey,
    ...Object.fromEntries(
      [
        "User-Agent",
        "Referer",
        "Cookie",
        "Request-Id",
        "X-Request-Id",
        "Traceparent",
        "X-Forwarded-For",
        "X-Anything",
      ].map((name) => [name, plants.text(`${operation} header ${name}`)]),
    ),
  })
  const filled = (operation: string, known: Calls.Known, isStrict = true) =>
    Calls.fill(
      Calls.calls.get(operation) ?? assert.fail(`${operation} is no operation of the contract`),
      { known, isStrict },
      (place) => plants.text(`${operation} ${place}`),
    )
  const accepted = new Set<string>()
  const last = new Map<string, Calls.Known>()
  /** Sends a request that is good, with canaries wherever it may have any text. */
  const accept = async (
    operation: string,
    known: Calls.Known = {},
    headers: { readonly [name: string]: string } = {},
  ) => {
    // There an app is named in place of a key.
    const isGateway = operation.startsWith("gateway.")
    const all = { ...common, ...(isGateway && { "App-Id": undefined }), ...known }
    const sent = filled(operation, all)
    const query = [...sent.query, ["anything", plants.text(`${operation} query anything`)] as const]
    const answer = await send({
      ...sent,
      query,
      headers: { ...around(operation), ...sent.headers, ...headers },
    })
    assert.isBelow(answer.status, 300, `${operation}: ${answer.text} for ${JSON.stringify(sent)}`)
    accepted.add(operation)
    last.set(operation, all)
    return answer.body
  }

  const person = (of: string): Json => ({
    fields: Object.entries({
      fullName: `${plants.text(`${of}: name`)} "é`,
      dob: "1907-03-11",
      pobCountry: "DE",
      pobAddress: plants.text(`${of}: place of birth`),
      porCountry: "GB",
      porAddress: plants.text(`${of}: address`),
      tosConfirmed: "true",
    }).map(([id, value]) => ({ id, value })),
  })
  plants.value("a payer's date of birth", "1907-03-11")
  const signature = (what: string, signed: string) => {
    const bytes = Buffer.from(signed.slice(2), "hex")
    plants.value(`${what}: r`, bytes.subarray(0, 32).toString("hex"), bytes.subarray(0, 32))
    plants.value(`${what}: s`, bytes.subarray(32, 64).toString("hex"), bytes.subarray(32, 64))
    return signed
  }

  const amount = { unit: "iso4217/USD", value: "1250" }
  const create = async (more: Calls.Known = {}, operation = "payments.create") => {
    const body = await accept(operation, {
      ...more,
      amount,
      checkout: {
        successUrl: `https://shop.example/${plants.text(`${operation} body checkout successUrl`)}`,
        errorUrl: `https://shop.example/${plants.text(`${operation} body checkout errorUrl`)}`,
      },
    })
    return text(body, "paymentId")
  }
  const known = (id: string): Calls.Known => ({ id, maxPollMs: undefined })
  /** A payment up to what its payer signs. */
  const prepare = async (chainId: number, payer: Wallet.Wallet, id: string) => {
    const account = Eip155.formatAccount(payer.account(chainId))
    const offered = await accept("gateway.options", { id, accounts: [account], refresh: null })
    const options = at(offered, "options")
    const option = Array.isArray(options)
      ? options.find((each) => {
          const actions = at(each, "actions")
          return (
            Array.isArray(actions) &&
            actions.length === 1 &&
            text(actions[0], "data", "method") === "eth_signTypedData_v4"
          )
        })
      : undefined
    const optionId = text(option, "id")
    plants.value("option id", optionId)
    const fetched = await accept("gateway.fetch", { id, optionId, data: "" })
    const action = at(fetched, "actions", 0, "data")
    const signed = await payer.request({
      chainId: text(action, "chain_id"),
      method: "eth_signTypedData_v4",
      params: [text(action, "params", 0), text(action, "params", 1)],
    })
    return {
      optionId,
      account,
      form: text(option, "collectData", "url"),
      results: [{ type: "walletRpc", data: [signature("payer's signature", signed)] }],
    }
  }
  const confirm = async (chainId: number, payer: Wallet.Wallet, id: string) => {
    const { optionId, results } = await prepare(chainId, payer, id)
    const { fields } = JSON.parse(JSON.stringify(person("a payer's data that is refused")))
    const unsigned = {
      ...known(id),
      optionId,
      results,
      collectedData: { fields: fields.slice(0, 1) },
    }
    const call = filled("gateway.confirm", { ...common, ...unsigned })
    const refused = await send({
      ...call,
      headers: { ...around("gateway.confirm"), ...call.headers },
    })
    assert.isAtLeast(refused.status, 400)
    await accept("gateway.confirm", { ...unsigned, collectedData: person("a payer's data") })
    return id
  }
  const statusOf = async (id: string) =>
    text((await accept("gateway.status", known(id), { "Api-Key": walletKey })) ?? null, "status")
  const paid = (id: string) => Serving.until(async () => (await statusOf(id)) === "succeeded")

  await service.look()
  await accept("events.stream", { cursor: undefined })

  // Merchants, and where their money goes.
  const email = (of: string) => `${plants.text(`${of} body merchantEmail`)}@example.com`
  const icon = (of: string) =>
    `${service.logos.url.replace("http:", "https:")}/${plants.text(`${of} body iconUrl`)}`
  const face = (of: string) => ({
    brandColor: "#1f6feb",
    supportEmail: `${plants.text(`${of} body supportEmail`)}@example.com`,
    supportUrl: `https://shop.example/${plants.text(`${of} body supportUrl`)}`,
    checkoutOrigins: [`https://${plants.text(`${of} body checkoutOrigins`)}.example`],
  })
  const otherMerchant = text(
    await accept("merchants.create", {
      ...face("merchants.create"),
      merchantEmail: email("merchants.create"),
      iconUrl: icon("merchants.create"),
    }),
    "merchant",
    "id",
  )
  const ofOther = { merchantId: otherMerchant }
  await accept("merchants.update", {
    ...ofOther,
    ...face("merchants.update"),
    merchantEmail: email("merchants.update"),
    iconUrl: icon("merchants.update"),
  })
  await accept("merchants.list")
  await accept("merchants.get", ofOther)
  await accept("merchants.statement", { from: "2026-01-01", to: "2026-01-31" })
  const usdc = "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"
  const treasury = Eip155.formatAccount(LocalChains.treasury.account(8453))
  const destinations = await accept("settlements.create", {
    ...ofOther,
    settlements: [{ asset: usdc, destination: treasury }],
  })
  const destination = {
    ...ofOther,
    id: text(destinations, "settlements", 0, "id"),
    destination: treasury,
  }
  const prove = async (settlement: Json, more: Calls.Known) => {
    const message = `0x${Buffer.from(text(settlement, "statement")).toString("hex")}`
    const proof = await LocalChains.treasury.request({
      chainId: text(settlement, "destination").split(":").slice(0, 2).join(":"),
      method: "personal_sign",
      params: [message, LocalChains.treasury.address],
    })
    await accept("settlements.change", {
      ...more,
      id: text(settlement, "id"),
      destination: text(settlement, "destination"),
      proof: signature("proof of a destination", proof),
    })
  }
  await prove(at(destinations, "settlements", 0), ofOther)
  const own = at(await accept("settlements.list"), "crypto")
  for (const each of Array.isArray(own) ? own : []) {
    // oxlint-disable-next-line no-await-in-loop -- One after the other.
    if (/^eip155:(?:10|8453)\//u.test(text(each, "asset"))) await prove(each, {})
  }

  // Webhooks.
  const hook = (of: string) =>
    `${service.receiver.url}/${plants.text(`${of} body url path`)}?token=${plants.text(`${of} body url query`)}`
  const hooks = { types: undefined, version: null }
  const secretOf = (body: Json) => {
    const secret = text(body, "secret")
    service.forgive(secret)
    plants.value("webhook's secret", secret, Buffer.from(secret.replace("whsec_", ""), "base64"))
  }
  const hooked = await accept("webhooks.create", { ...hooks, url: hook("webhooks.create") })
  secretOf(hooked)
  const webhook = { id: text(hooked, "webhook", "id") }
  await accept("webhooks.list")
  await accept("webhooks.get", webhook)
  await accept("webhooks.change", { ...hooks, ...webhook, url: hook("webhooks.change") })
  secretOf(await accept("webhooks.rotate", webhook))
  await accept("webhooks.test", webhook)
  await Serving.until(() => service.receiver.received.length > 0)
  const deliveries = await accept("webhooks.deliveries", webhook)
  await accept("webhooks.redeliver", { ...webhook, deliveryId: text(deliveries, "data", 0, "id") })

  // Keys.
  const keys = { scopes: ["read"], from: undefined, validUntil: null }
  const newKey = (what: string, body: Json) => {
    service.forgive(text(body, "secret"))
    keyOf(what, text(body, "secret"))
  }
  const madeKey = await accept("keys.create", keys)
  newKey("key that was made", madeKey)
  await accept("keys.list")
  const madeKeyId = text(madeKey, "key", "id")
  const rotated = await accept("keys.rotate", { id: madeKeyId, validUntil: null })
  newKey("key that was rotated", rotated)
  await accept("keys.revoke", { id: text(rotated, "key", "id") })

  // A second person, whose key the operator made.
  const setSecondPerson = (wanted: "no-second-person" | "second-person") =>
    service.command("partners", "change", partnerId, `--${wanted}`)
  await setSecondPerson("second-person")
  const ask = async () => {
    const sent = filled("keys.create", { ...common, ...keys })
    const { body } = await send({
      ...sent,
      headers: { ...around("keys.create"), ...sent.headers },
    })
    assert.propertyVal(body, "code", "approval_required")
    const { approvals } = Object(await accept("approvals.list"))
    return { id: text(approvals, 0, "id") }
  }
  await accept("approvals.decline", await ask())
  await accept("approvals.approve", await ask(), { "Api-Key": misusedKey })
  await setSecondPerson("no-second-person")

  // A person in the console, whose key is in a link and whose session is in a cookie.
  const link = await accept("keys.create", { ...keys, scopes: ["read"], use: "sign_in" })
  newKey("key of a sign-in link", link)
  service.forgive(text(link, "secret"))
  const signingIn = filled("session.signIn", common)
  const signedIn = await send({
    ...signingIn,
    headers: { ...signingIn.headers, "Api-Key": text(link, "secret") },
  })
  const Cookie = signedIn.cookie ?? assert.fail(signedIn.text)
  const sessionKey = Cookie.slice(Cookie.indexOf("=") + 1)
  service.forgive(sessionKey)
  keyOf("key of a session", sessionKey)
  accepted.add("session.signIn")
  const inSession = { "Api-Key": "", Cookie }
  await accept("session.get", {}, inSession)
  const token = { "Csrf-Token": text(signedIn.body, "csrfToken") }
  const { hostname: host, origin } = new URL(text(link, "link"))
  const listed = await accept("session.passkeys", {}, inSession)
  const passkey = Authenticator.at({ host, origin }).make(text(listed, "next", "challenge"))
  const write = { ...inSession, ...token }
  const added = await accept("session.addPasskey", passkey, write)
  await accept("session.removePasskey", { id: text(added, "id") }, write)
  await accept("session.signOut", token, inSession)

  // Payments.
  const [payer = assert.fail(), another = assert.fail()] = LocalChains.wallets
  const first = await create()
  const second = await create({}, "payments.createAlias")
  await confirm(Service.signedChain, payer, first)
  await confirm(Service.keyedChain, another, second)
  await accept("payments.cancel", { id: await create() })
  await accept("gateway.cancel", { id: await create() })
  for (const id of [first, second]) {
    // oxlint-disable no-await-in-loop -- One after the other.
    await accept("payments.get", { id })
    await accept("payments.status", known(id))
    await accept("payments.statusAlias", known(id))
    await accept("gateway.get", { id })
    await paid(id)
    // oxlint-enable no-await-in-loop
  }
  const filters = Object.fromEntries(
    ["startTs", "endTs", "status", "asset", "network", "currency", "token_symbol"].map((name) => [
      name,
      undefined,
    ]),
  )
  await accept("payments.list", filters)
  await accept("payments.listOfMerchant", filters)
  await accept("payments.statistics", { ...filters, timeZone: "Europe/Berlin" })
  await accept("payments.listOfMerchantByPath", filters)
  const legacy = filled("payments.listOfMerchantByPath", {
    ...common,
    ...filters,
    "X-Api-Key": partnerKey,
  })
  assert.strictEqual((await send({ ...legacy, query: [], headers: legacy.headers })).status, 200)

  // The hosted pages.
  const third = await create()
  const prepared = await prepare(Service.signedChain, payer, third)
  const form = new URL(prepared.form)
  const session = form.searchParams.get("session") ?? assert.fail("the form has no session")
  plants.value("payer's session", session)
  const prefill = Buffer.from(
    JSON.stringify({ fullName: plants.text("prefill: name"), dob: "1907-03-11" }),
  ).toString("base64url")
  const page = await send({
    method: "GET",
    path: form.pathname,
    query: [...form.searchParams, ["prefill", prefill]],
  })
  const pageToken =
    /(?:"|&quot;)pageToken(?:"|&quot;):(?:"|&quot;)([\w.~-]+)/u.exec(page.text)?.[1] ??
    assert.fail(page.text)
  plants.value("page's token", pageToken)
  const collected = {
    method: "POST",
    path: "/pages/collected",
    headers: { "Page-Token": pageToken },
  }
  assert.isAtLeast(
    (
      await send({
        ...collected,
        body: { fields: [{ id: "fullName", value: plants.text("form's refused name") }] },
      })
    ).status,
    400,
  )
  assert.strictEqual((await send({ ...collected, body: person("the form's data") })).status, 200)
  await send({ method: "GET", path: `/pages/logos/${third}` })
  await send({ method: "GET", path: `/${third}`, query: [["prefill", prefill]] })

  // Money that goes out.
  await Serving.until(
    async () => at(await accept("payments.get", { id: second }), "settlement") !== null,
  )
  const payouts = await accept("payouts.list", { ...filters, ...ofOther, merchantId })
  await accept("balances.list", { ...filters, merchantId })
  await accept("payouts.get", { id: text(payouts, "data", 0, "id") })
  const part = { unit: "iso4217/USD", value: "250" }
  const elsewhere = {
    paymentId: first,
    amount: part,
    destination: `eip155:${Service.signedChain}:0x${"2".repeat(40)}`,
  }
  const { statement } = Object(await accept("refunds.destination", elsewhere))
  const refund = await accept("refunds.create", {
    ...elsewhere,
    statement,
    proof: signature("proof of a refund", payer.signMessage(statement)),
  })
  await accept("refunds.list", { paymentId: first })
  await accept("refunds.get", { id: text(refund, "refundId") })
  await accept("webhooks.replay", {
    ...webhook,
    from: new Date(Date.now() - 3_600_000).toISOString(),
    to: undefined,
  })
  await accept("assets.list")
  await accept("events.list")
  await accept("auditLog.list")
  await accept("settlements.remove", destination)
  await accept("merchants.remove", ofOther)
  const [bystander = ""] = [
    text(
      await accept("webhooks.create", { ...hooks, url: hook("webhooks.remove") }),
      "webhook",
      "id",
    ),
  ]
  await accept("webhooks.remove", { id: bystander })
  assert.deepStrictEqual([...accepted].toSorted(), [...Calls.calls.keys()].toSorted())

  // Every operation refuses, in every way.
  const refuse = async (operation: string) => {
    const plant = (place: string) => plants.text(`${operation} refused ${place}`)
    const call = Calls.calls.get(operation) ?? assert.fail()
    const strange = Calls.fill(call, { known: untold, isStrict: false }, plant)
    const good = filled(operation, last.get(operation) ?? {})
    const key = { "Api-Key": partnerKey }
    const { "Svc-Version": _, ...strangeHeaders } = strange.headers
    const ways: { readonly [way: string]: Sent } = {
      "everything strange": { ...strange, headers: { ...strangeHeaders, ...key } },
      "a strange body": { ...good, headers: { ...good.headers, ...key }, body: strange.body },
      "a strange query": {
        ...good,
        headers: { ...good.headers, ...key },
        query: [...strange.query, [plant("name of a query"), plant("query")]],
      },
      "a strange version": {
        ...good,
        headers: { ...good.headers, ...key, "Svc-Version": plant("header Svc-Version") },
      },
      "no JSON": {
        ...good,
        headers: { ...good.headers, ...key },
        raw: `{"${plant("raw name")}":"${plant("raw value")}`,
      },
      "another type": {
        ...good,
        headers: {
          ...good.headers,
          ...key,
          "content-type": `text/${plant("header Content-Type")}`,
        },
      },
      "a key of nobody": {
        ...good,
        headers: { ...good.headers, "Api-Key": `flr_test_pk_${plant("header Api-Key")}` },
      },
      "a key as something else": {
        ...good,
        headers: {
          ...good.headers,
          ...Object.fromEntries(
            ["Authorization", "App-Id", "Client-Id", "Page-Token", "Cookie", "User-Agent"].map(
              (name) => [name, misusedKey],
            ),
          ),
        },
      },
      "a key in the path": {
        ...good,
        headers: key,
        path: call.path.replaceAll(/\{\w+\}/gu, misusedKey),
        query: [["api_key", misusedKey]],
      },
      "a secret in the path": {
        ...good,
        headers: key,
        path: call.path.replaceAll(/\{\w+\}/gu, `whsec_${plant("secret in the path")}`),
      },
      "another method": { ...good, headers: key, method: plant("method").toUpperCase() },
    }
    const isGet = (sent: Sent) => sent.method === "GET"
    let refusals = 0
    for (const sent of Object.values(ways)) {
      const { body, raw, ...bare } = sent
      // oxlint-disable-next-line no-await-in-loop -- One after the other.
      const { status } = await send(
        isGet(sent) ? bare : { ...bare, body, ...(raw !== undefined && { raw }) },
      )
      if (status >= 400) refusals += 1
    }
    assert.isAbove(refusals, 3, operation)
  }
  for (const operation of Calls.calls.keys()) {
    // oxlint-disable-next-line no-await-in-loop -- One after the other.
    await refuse(operation)
  }

  /** Sends what was good before, whatever becomes of it; answers the statuses. */
  const again = async () => {
    const statuses: Array<number> = []
    for (const [operation, all] of last) {
      if (operation === "events.stream" || operation === "keys.revoke") continue
      const sent = filled(operation, {
        ...all,
        "Idempotency-Key": `${plants.text(`${operation} header Idempotency-Key`)}`,
      })
      // oxlint-disable-next-line no-await-in-loop -- One after the other.
      const { status } = await send({ ...sent, headers: { ...around(operation), ...sent.headers } })
      statuses.push(status)
    }
    return statuses
  }
  await again()

  // The signer and the nodes repeat all that they are told, one after the other.
  const heard = async (pattern: RegExp) => {
    const from = service.worker.said.err.length
    await Serving.until(() => pattern.test(service.worker.said.err.slice(from)))
  }
  const refusing: Listener.Respond = (received) => {
    const asked = JSON.parse(received.body)
    const refusals = [asked].flat().map(({ id }: { readonly id: number }) => ({
      jsonrpc: "2.0",
      id,
      error: { code: -32_000, message: Listener.repeated(received) },
    }))
    return { status: 200, body: JSON.stringify(Array.isArray(asked) ? refusals : refusals[0]) }
  }
  writeFileSync(service.brokenSigner, "")
  const fourth = await confirm(Service.signedChain, payer, await create())
  await heard(/exit code 3/u)
  service.tellNodes(Listener.repeating(401))
  rmSync(service.brokenSigner)
  await heard(/HTTP 401/u)
  await service.look()
  await again()
  service.tellNodes(refusing)
  await heard(/no: \//u)
  await service.look()
  await again()
  service.tellNodes((received, usually) =>
    received.body.includes("eth_sendRawTransaction")
      ? refusing(received, usually)
      : usually(received, usually),
  )
  await heard(/a transaction was not accepted/u)
  service.tellNodes(null)
  await paid(fourth)

  // The receiver and the collector, too.
  service.receiver.tell(Listener.repeating(500))
  service.alerts.tell(Listener.repeating(500))
  await service.command("alerts", "test")
  service.collector.tell(Listener.repeating(500))
  await accept("webhooks.test", webhook)
  const calls = service.receiver.received.length
  await Serving.until(() => service.receiver.received.length > calls)
  service.receiver.tell(() => ({ status: 200, body: "" }))
  service.collector.tell(null)
  service.alerts.tell(null)
  await Serving.until(() => service.alerts.received.length > 3)

  // The storage refuses every row, and repeats it; then its tables are gone.
  await onEachTable(database, () => "ADD CONSTRAINT canary CHECK (false) NOT VALID")
  assert.isTrue((await again()).some((status) => status >= 500))
  await onEachTable(database, () => "DROP CONSTRAINT canary")
  // A view still finds a table that has another name.
  const tablesAndViews = ["r", "v"]
  await onEachTable(database, (name) => `RENAME TO gone_${name}`, tablesAndViews)
  assert.isTrue((await again()).every((status) => status >= 400))
  await service.look()
  await service.command("status", "--json")
  const nameBefore = (name: string) => `RENAME TO ${name.slice("gone_".length)}`
  await onEachTable(database, nameBefore, tablesAndViews)
  await Serving.until(async () => (await statusOf(first)) === "succeeded")
  await service.look()

  const shown = await service.command("collected", "show", first)
  const [told = assert.fail("nothing is shown")] = plants.search("command", shown.out)
  assert.strictEqual(told.what, "a payer's data: name")
  service.forgive(shown.out)
  const ofPartner = ["--partner", partnerId]
  for (const words of [
    ["status"],
    ["status", "--json"],
    ["stuck", "--json"],
    ["balances", "--json"],
    ["explain", first],
    ["payments", "list", ...ofPartner, "--mode", "test", "--json"],
    ["webhooks", "list", ...ofPartner, "--mode", "test", "--json"],
    ["webhooks", "endpoints", "list", ...ofPartner, "--json"],
    ["keys", "list", ...ofPartner, "--json"],
    ["doctor"],
    ["audit", "--limit", "200", "--json"],
    ["audit", "--limit", "200"],
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- One after the other.
    await service.command(...words)
  }
  const entries = await send({
    method: "GET",
    path: "/v1/audit-log",
    query: [["limit", "200"]],
    headers: { "Api-Key": partnerKey },
  })
  assert.strictEqual(entries.status, 200)
  ended.abort()
  await Promise.all(streams)
  const written = await service.end()

  const found = written.flatMap(({ sink, text: all }) => plants.search(sink, all))
  const sizes = Object.fromEntries(
    Plants.sinks.map((sink) => [
      sink,
      written.reduce((sum, each) => (each.sink === sink ? sum + each.text.length : sum), 0),
    ]),
  )
  const leaks = found.filter((each) => reasonOf(each) === undefined)
  if (Counts.full) stderr.write(`${plants.count()} canaries in ${JSON.stringify(sizes)}\n`)
  for (const sink of Plants.sinks) assert.isAbove(sizes[sink] ?? 0, 1000, sink)
  // What may come out does, so the search sees it.
  const used = new Set(found.map(reasonOf))
  for (const row of allowed) assert.isTrue(used.has(row), row.why)
  assert.deepStrictEqual(
    leaks.map(({ sink, spelling, what }) => `${what} as ${spelling} in ${sink}`),
    [],
  )
}

/** Nobody shares what is in memory. */
const neverStarts = ["--role", "api", "--directory", "nowhere"]

/** Secrets where no setting takes them, or where what they lead to is not there. */
const misconfigure = async () => {
  const plants = Plants.make()
  const heldBySecrets = Settings.all.filter(
    ({ kind, mayHoldPassword }) => kind === "secret" || mayHoldPassword === true,
  )
  assert.isAbove(heldBySecrets.length, 10)
  const wrong = heldBySecrets.flatMap((setting) => {
    const flag = `--${Setting.flagName(setting)}`
    const password = `https://user:${plants.text(`${flag} and a password`)}@host:port/`
    return [
      [flag, plants.text(`${flag} and a value`)],
      [`${flag}=${plants.text(`${flag}=value`)}`],
      [flag, password],
    ].map((given) => ["serve"].concat(given, neverStarts))
  })
  const nowhere = ["serve", "migrate", "status", "audit", "doctor"].map((command) => [
    command,
    "--storage",
    `postgres://user:${plants.text(`${command}: password of a database that is not there`)}@127.0.0.1:1/florin`,
  ])
  const ended = await Program.several([...wrong, ...nowhere])
  const found = ended.flatMap(({ code, err, out }, index) => {
    assert.notStrictEqual(code, 0, [...wrong, ...nowhere][index]?.join(" "))
    return plants.search("command", out + err)
  })

  // A collector that nobody reaches.
  const served = await Serving.serve(
    { FLORIN_OTLP_HEADERS: `authorization=${plants.text("token for a collector")}` },
    ..."--storage memory --port 0 --local-chains 8453 --otlp".split(" "),
    `http://user:${plants.text("password of a collector")}@127.0.0.1:1/${plants.text("path of a collector")}`,
  )
  await Serving.becomesReady(served.url)
  const { err, out } = await Serving.end(served, "SIGTERM")
  assert.deepStrictEqual([...found, ...plants.search("log", out + err)], [])
}

describe("secrets that are sent through every route", () => {
  it.live(
    "A4, A5, A16: are in no log line, metric, trace, audit entry, event or error",
    () => Serving.on([Service.signedChain, Service.keyedChain], play),
    timeout,
  )

  it(
    "A4, A16: are in no error about a wrong setting",
    () => Program.inDirectory(misconfigure),
    timeout,
  )
})
