import { assert, describe, it } from "@effect/vitest"
import * as HostedPage from "@florin/api/wire/HostedPage"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as PageToken from "@florin/core/domain/payment/PageToken"
import * as PayerData from "@florin/core/engine/payment/PayerData"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { LaneStore } from "@florin/core/ports/LaneStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { Settings } from "@florin/core/ports/Settings"
import * as NodeListener from "@florin/server/NodeListener"
import { Effect } from "effect"
import type * as AccessLog from "../src/edge/AccessLog.ts"
import * as Certificate from "../test-support/certificate.ts"
import * as Pictures from "../test-support/pictures.ts"
import * as Receiver from "../test-support/receiver.ts"
import * as Gateway from "./operations/gateway.ts"
import * as Laws from "./operations/laws.ts"
import * as Refunds from "./operations/refunds.ts"
import * as Hosted from "./pages.ts"
import * as Scene from "./scene.ts"
import * as Wire from "./wire.ts"
import { pass, World } from "./world.ts"

const withPages = (pages: Partial<HostedPage.Pages> = {}, edge: Scene.Options["edge"] = {}) => ({
  edge: { pages: { ...Hosted.settings, ...pages }, ...edge },
})

const play = (rule: string, body: Laws.Play<void>, options: Scene.Options = withPages()) =>
  Laws.play(rule, body, options)

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  Scene.send({ path, headers })

/** A page of a payment, with its data. */
const open = Effect.fnUntraced(function* (path: string) {
  const answer = yield* get(path)
  assert.strictEqual(answer.status, 200, answer.text)
  const data = Hosted.dataOf(answer.text)
  return { answer, data, token: Scene.text(data, "pageToken") }
})

/** As a browser asks for a page. */
const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"

const visit = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  get(path, { accept: browser, ...headers })

const account = Scene.accountOf(Scene.payer, 8453)
const second = Scene.accountOf(Scene.payer, 1)

const ada = [
  { id: "fullName", value: "Ada Lovelace" },
  { id: "dob", value: "1990-12-10" },
  { id: "porCountry", value: "GB" },
  { id: "porAddress", value: "12 St James's Square" },
  { id: "tosConfirmed", value: "true" },
]

const collected = (token: string, fields: ReadonlyArray<{ id: string; value: string }> = ada) =>
  Scene.send({
    path: "/pages/collected",
    headers: { "Page-Token": token },
    body: { fields: fields.map((field) => ({ ...field })) },
  })

/** The stored data of a payment's payers, by account. */
const kept = Effect.fnUntraced(function* (paymentId: string) {
  const id = PaymentId.PaymentId.make(paymentId)
  const all = yield* (yield* PaymentStore).collected(id)
  const opened = yield* Effect.forEach(all, (each) =>
    Effect.map(
      PayerData.open(id, each),
      ({ fullName }) => [Eip155.formatAccount(each.account), fullName] as const,
    ),
  ).pipe(Effect.orDie)
  return Object.fromEntries(opened)
})

describe("the checkout page", () => {
  play(
    "contains what a payer needs, and nothing that the payment link does not give access to",
    ({ own }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId, { referenceId: "ORDER-7" })
        const { data } = yield* open(`/?pid=${id}`)
        const gateway = (path: string) =>
          Scene.send({ path: `/v1/gateway/payment/${id}${path}`, key: own.key })
        const { accepted, pageToken, ...told } = JSON.parse(JSON.stringify(data))
        assert.deepStrictEqual(told, {
          page: "checkout",
          paymentId: id,
          mode: "test",
          link: `https://pay.example.com/?pid=${id}`,
          now: Scene.now,
          info: (yield* gateway("")).body,
          status: (yield* gateway("/status")).body,
          referenceId: "ORDER-7",
          refunds: null,
          returnTo: null,
          explorers: {},
          walletConnect: false,
          frameOrigins: [],
          termsUrl: "https://pay.example.com/terms",
          privacyUrl: "https://pay.example.com/privacy",
        })
        assert.match(pageToken, /^[-\w]+$/u)
        const offered = yield* Scene.send({
          path: `/v1/gateway/payment/${id}/options`,
          key: own.key,
          body: {
            accounts: [1, 10, 56, 137, 143, 8453, 42161, 42220].map((chainId) =>
              Scene.accountOf(Scene.payer, chainId),
            ),
          },
        })
        const amounts = Scene.list(offered.body, "options").map((each) => Scene.at(each, "amount"))
        assert.isAbove(amounts.length, 8)
        assert.sameDeepMembers(accepted, amounts)
      }),
  )

  play(
    "shows what was refunded, where it goes and whether it arrived, without the reason",
    (scene) =>
      Effect.gen(function* () {
        const { own } = scene
        const id = yield* Refunds.succeeded(scene)
        const refundsOf = Effect.map(open(`/?pid=${id}`), ({ data }) => Scene.at(data, "refunds"))
        assert.isNull(yield* refundsOf)
        const part = Refunds.refundingPart(own.key, id, "234")
        yield* Scene.send({ ...part, body: { ...part.body, reason: "One bag" } })
        const to = Gateway.payerOn(8453)
        const [first, rest] = [Gateway.usdcOnBase("2340000"), Gateway.usdcOnBase("10000000")]
        const waiting = { of: "part", each: [{ amount: first, to, txId: null }] }
        assert.deepStrictEqual(yield* refundsOf, waiting)
        yield* Gateway.finish(8453)
        const arrived = yield* refundsOf
        assert.match(Scene.text(arrived, "each", 0, "txId"), /^0x/u)
        yield* Scene.send(Refunds.refundingPart(own.key, id, "1000"))
        const whole = yield* refundsOf
        assert.strictEqual(Scene.text(whole, "of"), "whole")
        assert.deepStrictEqual(Scene.at(whole, "each", 1), { amount: rest, to, txId: null })
      }),
  )

  play("is the same under the payment's own path", ({ own }) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const [byQuery, byPath] = [yield* open(`/?pid=${id}`), yield* open(`/${id}`)]
      assert.strictEqual(byQuery.answer.text, byPath.answer.text)
    }),
  )

  play("refuses its token once the payment is paid, and hides stopped chains", ({ own }) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const unitsOf = (data: Scene.Json) =>
        Scene.list(data, "accepted").map((each) => Scene.text(each, "unit"))
      const onBase = (unit: string) => unit.startsWith("caip19/eip155:8453/")
      assert.isTrue(unitsOf((yield* open(`/${id}`)).data).some(onBase))
      yield* Scene.confirm(own.key, id)
      assert.deepStrictEqual(unitsOf((yield* open(`/${id}`)).data), [])
      const other = yield* Scene.createPayment(own.key, own.merchantId)
      yield* (yield* LaneStore).modifyChainState("test", Eip155.chainId(8453), (state) => ({
        ...state,
        halt: { reason: "a test", haltedAt: Scene.now },
      }))
      const rest = unitsOf((yield* open(`/${other}`)).data)
      assert.isAbove(rest.length, 0)
      assert.isFalse(rest.some(onBase))
    }),
  )

  play(
    "links to explorers in live mode, the operator's before the network's own",
    ({ own }) =>
      Effect.gen(function* () {
        const merchantId = yield* Scene.createMerchant(own.liveKey)
        const id = yield* Scene.createPayment(own.liveKey, merchantId)
        const explorers = Scene.at((yield* open(`/${id}`)).data, "explorers")
        assert.strictEqual(Scene.text(explorers, "eip155:1"), "https://etherscan.io/tx/")
        assert.strictEqual(Scene.text(explorers, "eip155:8453"), "https://scan.example/")
      }),
    withPages({ explorers: { "eip155:8453": "https://scan.example/" } }),
  )

  play("contains the addresses to return to", ({ own }) =>
    Effect.gen(function* () {
      const checkout = {
        successUrl: "https://shop.example/yes",
        errorUrl: "https://shop.example/no",
      }
      const made = yield* Scene.send({
        path: "/v1/payments",
        key: own.key,
        headers: { "Merchant-Id": own.merchantId, "Svc-Version": "2026-02-19.preview" },
        body: { referenceId: "A", amount: { unit: "iso4217/USD", value: "100" }, checkout },
      })
      const { data } = yield* open(`/${Scene.text(made.body, "paymentId")}`)
      assert.deepStrictEqual(Scene.at(data, "returnTo"), checkout)
    }),
  )

  for (const hostile of [
    `"><script>window.__pwn=1</script>`,
    `' onload='alert(1)`,
    `</meta></head><img src=x onerror=alert(1)>`,
    `</script><!--<script>\u200f\u061c`,
    `&quot;&#34;><b>`,
    "$& $` $' $1 $<a>",
    `<!-- ]]> --><style>`,
    `\\"; é 🥨 \\u0022`,
  ]) {
    play(`escapes ${JSON.stringify(hostile)} in its attribute`, ({ own }) =>
      Effect.gen(function* () {
        const merchantId = yield* Scene.createMerchant(own.key, hostile)
        const id = yield* Scene.createPayment(own.key, merchantId, {
          referenceId: hostile,
          description: hostile,
          lineItems: [{ name: hostile }],
        })
        const harmless = yield* Scene.createPayment(own.key, own.merchantId)
        const shape = (html: string) =>
          html.replace(Hosted.attribute(html), "").replace(/<noscript>.*<\/noscript>/u, "")
        for (const path of ["/", "/collect/"]) {
          const at = (pid: string) =>
            path === "/" ? `/?pid=${pid}` : Hosted.collectPath(pid, [account])
          const { answer, data } = yield* open(at(id))
          assert.notMatch(Hosted.attribute(answer.text), /[<>"']/u)
          assert.strictEqual(shape(answer.text), shape((yield* get(at(harmless))).text))
          assert.strictEqual(
            path === "/"
              ? Scene.text(data, "info", "merchant", "name")
              : Scene.text(data, "merchantName"),
            hostile,
          )
          if (path === "/") {
            assert.strictEqual(Scene.text(data, "referenceId"), hostile)
            assert.strictEqual(Scene.text(data, "info", "description"), hostile)
            assert.strictEqual(Scene.text(data, "info", "lineItems", 0, "name"), hostile)
          }
        }
      }),
    )
  }

  play("is a 404 page for an unknown payment or an ambiguous link", ({ own }) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      for (const path of [
        "/",
        "/?pid=",
        "/?pid=pay_nobody",
        `/?pid=${id}&pid=${id}`,
        `/?pid=${id.toUpperCase()}`,
        "/?pid=../../etc/passwd",
        "/pay_nobody",
        `/${id}?pid=pay_nobody`,
        "/collect",
        `/collect/?pid=${id}`,
        `/collect/?pid=${id}&accounts=`,
        `/collect/?pid=${id}&accounts=nobody`,
        `/collect/?pid=${id}&accounts=${account},nobody`,
        `/collect/?pid=pay_nobody&accounts=${account}`,
      ]) {
        const { headers, status, text } = yield* visit(path)
        assert.strictEqual(status, 404, path)
        assert.include(text, "<title>Not found</title>")
        assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
        Scene.isProblem(yield* get(path), 404, "not_found")
      }
    }),
  )

  play("does not replace any other path of the interface", () =>
    Effect.gen(function* () {
      for (const path of [
        "/favicon.ico",
        "/pay_",
        "/pay_a.b",
        "/PAY_1",
        "/v1",
        "/pay_1/",
        "/pages",
        "/pages/logos",
        "/pages/logos/",
        "/pages/logos/shop.png",
      ]) {
        for (const method of ["GET", "POST", "DELETE", "OPTIONS", "PROPFIND"]) {
          Scene.isProblem(yield* Scene.send({ path, method }), 404, "not_found")
        }
      }
      assert.strictEqual((yield* get("/healthz")).status, 200)
      assert.strictEqual((yield* get("/docs")).status, 200)
    }),
  )

  play("supports GET and HEAD only", ({ own }) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      for (const path of [
        `/${id}`,
        `/?pid=${id}`,
        Hosted.collectPath(id, [account]),
        Hosted.filePath,
      ]) {
        const { headers, status } = yield* get(path)
        const head = yield* Scene.send({ path, method: "HEAD" })
        assert.strictEqual(head.text, "")
        assert.strictEqual(head.status, status)
        assert.strictEqual(head.headers.get("content-type"), headers.get("content-type"))
        for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
          const answer = yield* Scene.send({ path, method })
          Scene.isProblem(answer, 405, "method_not_allowed")
          assert.strictEqual(answer.headers.get("allow"), "GET, HEAD")
        }
      }
    }),
  )

  Laws.play("is 404 if no pages are served", ({ own }) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      for (const path of [
        "/",
        `/?pid=${id}`,
        `/${id}`,
        Hosted.collectPath(id, [account]),
        Hosted.filePath,
        `/pages/logos/${id}`,
        `/pages/v1/gateway/payment/${id}`,
        "/pages/collected",
      ]) {
        Scene.isProblem(yield* get(path), 404, "not_found")
      }
    }),
  )
})

describe("an unknown address", () => {
  const unknown = ["/no/such/page", "/pages", "/docs/none", "/icons/none.svg", "/v2/payments"]
  const programs = ["*/*", "application/json", "text/html;q=0.5, application/json", ""]

  play("is a page for a browser, in its languages, without foreign scripts or files", () =>
    Effect.gen(function* () {
      for (const path of [...unknown, "/pay_nobody"]) {
        const { headers, status, text } = yield* visit(`${path}?lang=ar`, {
          "accept-language": "fr;q=0.5, pt-BR",
        })
        const { "request-id": _, ...rest } = Object.fromEntries(headers)
        assert.strictEqual(status, 404)
        assert.include(text, "<title>Not found</title><p>pt-br fr lang=ar</p>")
        assert.deepStrictEqual(rest, {
          "content-type": "text/html; charset=utf-8",
          "cache-control": "no-store",
          vary: "Accept, Accept-Language",
          "referrer-policy": "no-referrer",
          "x-content-type-options": "nosniff",
          "content-security-policy":
            "default-src 'none'; script-src 'none'; style-src 'self'; img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          "x-frame-options": "DENY",
          "cross-origin-opener-policy": "same-origin",
        })
      }
    }),
  )

  play("is a problem for callers that do not prefer HTML", () =>
    Effect.gen(function* () {
      for (const path of [...unknown, "/pay_nobody"]) {
        for (const accept of programs) {
          const answer = yield* get(path, { accept })
          Scene.isProblem(answer, 404, "not_found")
          assert.include(answer.headers.get("vary")?.split(", ") ?? [], "Accept")
        }
      }
    }),
  )

  play("is a problem below /v1 and /pages/v1, whatever the Accept header", () =>
    Effect.gen(function* () {
      for (const path of ["/v1", "/v1/", "/v1/none", "/pages/v1", "/pages/v1/none"]) {
        const answer = yield* visit(path)
        Scene.isProblem(answer, 404, "not_found")
        assert.notInclude(answer.headers.get("vary"), "Accept")
      }
    }),
  )

  Laws.play("is a page in the documentation's style in a service without hosted pages", () =>
    Effect.gen(function* () {
      for (const path of ["/", "/no/such/page"]) {
        const { headers, status, text } = yield* visit(path)
        assert.strictEqual(status, 404)
        assert.include(text, "<h1>Page not found</h1>")
        assert.include(text, `href="/docs/style.css"`)
        assert.match(headers.get("content-security-policy") ?? "", /script-src 'none'/u)
        Scene.isProblem(yield* get(path), 404, "not_found")
      }
    }),
  )

  play(
    "is a page even if the built page cannot be rendered",
    () =>
      Effect.gen(function* () {
        const { status, text } = yield* visit("/no/such/page")
        assert.strictEqual(status, 404)
        assert.include(text, "<h1>Page not found</h1>")
      }),
    withPages({
      site: { ...Hosted.settings.site, notFound: () => Promise.reject(new Error("broken")) },
    }),
  )
})

describe("the checkout in a browser without scripts", () => {
  play("shows a plain document in a frame, in the browser's languages", ({ own }) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const { text } = yield* visit(`/?pid=${id}&lang=%22%3E%3Cscript%3E`)
      const [, path = ""] = /<noscript><iframe title="Payment" src="([^"]+)">/u.exec(text) ?? []
      assert.strictEqual(path, `/pages/plain/${id}?lang=%22%3E%3Cscript%3E`)
      assert.include((yield* visit(`/${id}`)).text, `src="/pages/plain/${id}"`)
      const plain = yield* visit(`/pages/plain/${id}?lang=ar`, {
        "accept-language": "de, en;q=0.5",
      })
      assert.strictEqual(plain.status, 200)
      assert.include(plain.text, `<p>${id} de en lang=ar</p>`)
      assert.strictEqual((yield* visit("/pages/plain/pay_nobody")).status, 404)
    }),
  )

  for (const [whom, origins, ancestors] of [
    ["the checkout only", [], "'self'"],
    ["the checkout and its allowed frames", ["https://a.example"], "'self' https://a.example"],
  ] as const) {
    play(
      `A13: runs no script there, and allows framing by ${whom}`,
      ({ own }) =>
        Effect.gen(function* () {
          const id = yield* Scene.createPayment(own.key, own.merchantId)
          const { headers } = yield* visit(`/pages/plain/${id}`)
          const { "request-id": _, ...rest } = Object.fromEntries(headers)
          assert.deepStrictEqual(rest, {
            "content-type": "text/html; charset=utf-8",
            "cache-control": "no-store",
            "referrer-policy": "no-referrer",
            "x-content-type-options": "nosniff",
            "content-security-policy": `default-src 'none'; script-src 'none'; style-src 'self'; img-src 'self' data:; connect-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors ${ancestors}`,
            ...(origins.length === 0 && { "x-frame-options": "SAMEORIGIN" }),
          })
        }),
      withPages({ frameAncestors: origins }),
    )
  }

  play("has the payment link's QR code as a picture, and no other link's", ({ own }) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const { headers, status, text } = yield* get(`/pages/qr/${id}`)
      assert.strictEqual(status, 200)
      assert.strictEqual(text, `<svg><title>https://pay.example.com/?pid=${id}</title></svg>`)
      assert.strictEqual(headers.get("content-type"), "image/svg+xml")
      assert.strictEqual(headers.get("content-security-policy"), "default-src 'none'; sandbox")
      for (const path of ["/pages/qr/pay_nobody", "/pages/qr/none", "/pages/qr"]) {
        Scene.isProblem(yield* get(path), 404, "not_found")
      }
    }),
  )
})

describe("the headers of a document", () => {
  const policy = (rest: string) =>
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; ${rest}`

  const headersOf = Effect.fnUntraced(function* (path: string) {
    const { headers } = yield* visit(path)
    const { "request-id": _, ...rest } = Object.fromEntries(headers)
    return rest
  })

  const common = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  }

  play("A13: allow only our own scripts, and framing by our own checkout only", ({ own }) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const ofCheckout = {
        ...common,
        "content-security-policy": policy("frame-src 'self'; frame-ancestors 'none'"),
        "x-frame-options": "DENY",
        "cross-origin-opener-policy": "same-origin",
      }
      assert.deepStrictEqual(yield* headersOf(`/${id}`), ofCheckout)
      assert.deepStrictEqual(yield* headersOf(Hosted.collectPath(id, [account])), {
        ...common,
        "content-security-policy": policy("frame-ancestors 'self'"),
        "x-frame-options": "SAMEORIGIN",
      })
    }),
  )

  play(
    "allow framing by the origins that the operator listed",
    ({ own }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        assert.deepStrictEqual(yield* headersOf(Hosted.collectPath(id, [account])), {
          ...common,
          "content-security-policy": policy(
            "frame-ancestors 'self' https://a.example https://b.example",
          ),
        })
        const { text } = yield* get(`/${id}`)
        assert.deepStrictEqual(Scene.at(Hosted.dataOf(text), "frameOrigins"), [
          "https://a.example",
          "https://b.example",
        ])
      }),
    withPages({ frameAncestors: ["https://a.example", "https://b.example"] }),
  )

  const origins = ["https://shop.example", "http://localhost:3000"]
  const framed = Effect.fnUntraced(function* (key: string, merchantId: string) {
    const answer = yield* Scene.send({
      method: "PATCH",
      path: `/v1/merchants/${merchantId}`,
      key,
      body: { checkoutOrigins: origins },
    })
    assert.strictEqual(answer.status, 200, answer.text)
    return yield* Scene.createPayment(key, merchantId)
  })
  const ancestors = (value: string | undefined) => value?.replace(/^.*frame-ancestors /u, "")

  for (const [whom, pages, before] of [
    ["the merchant alone", {}, ""],
    [
      "the merchant and the operator",
      { frameAncestors: ["https://a.example"] },
      "https://a.example ",
    ],
  ] as const) {
    play(
      `A13: allow ${whom} to frame a merchant's payment and form, but not another merchant's`,
      ({ other, own }) =>
        Effect.gen(function* () {
          const id = yield* framed(own.key, own.merchantId)
          const named = `${before}${origins.join(" ")}`
          const checkout = yield* headersOf(`/${id}`)
          assert.strictEqual(ancestors(checkout["content-security-policy"]), named)
          assert.notProperty(checkout, "x-frame-options")
          const form = yield* headersOf(Hosted.collectPath(id, [account]))
          assert.strictEqual(ancestors(form["content-security-policy"]), `'self' ${named}`)
          assert.notProperty(form, "x-frame-options")
          const { data } = yield* open(`/${id}`)
          assert.deepStrictEqual(Scene.at(data, "frameOrigins"), named.split(" "))
          const theirs = yield* Scene.createPayment(other.key, other.merchantId)
          for (const path of [`/${theirs}`, "/pay_nobody", Hosted.collectPath(theirs, [account])]) {
            const { "content-security-policy": csp } = yield* headersOf(path)
            assert.notInclude(csp, "shop.example")
          }
        }),
      withPages(pages),
    )
  }
})

describe("WalletConnect", () => {
  const pathOf = (id: string) => `/pages/walletconnect/${id}`
  const { walletConnect } = Hosted

  play("is 404 unless the operator enables it", ({ own }) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      assert.strictEqual((yield* get(pathOf(id))).status, 404)
      assert.strictEqual((yield* get(Hosted.walletConnectFile)).status, 404)
    }),
  )

  play(
    "is offered on the checkout, without a change of its policy",
    ({ own }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const { answer, data } = yield* open(`/${id}`)
        assert.strictEqual(Scene.at(data, "walletConnect"), true)
        assert.strictEqual(
          answer.headers.get("content-security-policy"),
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-src 'self'; frame-ancestors 'none'",
        )
        assert.strictEqual((yield* get(Hosted.walletConnectFile)).text, "plain é")
        assert.strictEqual((yield* get(pathOf("pay_nobody"))).status, 404)
      }),
    withPages({ walletConnect }),
  )

  play(
    "A13: runs in a document with its own origin, which may call only its relay",
    ({ own }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const { headers, text } = yield* get(pathOf(id))
        const { "request-id": _, ...rest } = Object.fromEntries(headers)
        assert.deepStrictEqual(rest, {
          "content-type": "text/html; charset=utf-8",
          "cache-control": "no-store",
          "referrer-policy": "no-referrer",
          "x-content-type-options": "nosniff",
          "content-security-policy":
            "default-src 'none'; script-src 'self'; style-src 'none'; img-src 'none'; connect-src wss://relay.example:444; base-uri 'none'; form-action 'none'; sandbox allow-scripts; frame-ancestors 'self'",
          "x-frame-options": "SAMEORIGIN",
        })
        const { name, projectId, relayUrl } = walletConnect
        assert.deepStrictEqual(Hosted.dataOf(text), {
          page: "walletconnect",
          projectId,
          relayUrl,
          name,
        })
        assert.notInclude(text, "<script>")
      }),
    withPages({ walletConnect }),
  )

  play(
    "works in a checkout that an allowed page frames",
    ({ own }) =>
      Effect.gen(function* () {
        const changed = yield* Scene.send({
          method: "PATCH",
          path: `/v1/merchants/${own.merchantId}`,
          key: own.key,
          body: { checkoutOrigins: ["https://shop.example"] },
        })
        assert.strictEqual(changed.status, 200, changed.text)
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const { headers } = yield* get(pathOf(id))
        assert.match(
          headers.get("content-security-policy") ?? "",
          /; frame-ancestors 'self' https:\/\/a\.example https:\/\/shop\.example$/u,
        )
        assert.isNull(headers.get("x-frame-options"))
      }),
    withPages({ walletConnect, frameAncestors: ["https://a.example"] }),
  )
})

describe("a file of the pages", () => {
  for (const [accepted, coding, text] of [
    [null, null, "plain é"],
    ["gzip, deflate, br, zstd", "br", "brotli"],
    ["BR;q=0.5, gzip", "br", "brotli"],
    ["gzip;q=1.0", "gzip", "gzip"],
    ["br;q=0, gzip", "gzip", "gzip"],
    ["br; q=0.000, gzip;q=0", null, "plain é"],
    ["identity", null, "plain é"],
    ["vibrant, *", null, "plain é"],
  ] as const) {
    play(
      `is cached for ever, and sent as ${coding ?? "it is"} for ${accepted ?? "no Accept-Encoding"}`,
      () =>
        Effect.gen(function* () {
          const answer = yield* get(
            Hosted.filePath,
            accepted === null ? {} : { "Accept-Encoding": accepted },
          )
          assert.strictEqual(answer.status, 200)
          assert.strictEqual(answer.text, text)
          const { "request-id": _, ...headers } = Object.fromEntries(answer.headers)
          assert.deepStrictEqual(headers, {
            "content-type": "text/javascript; charset=utf-8",
            "cache-control": "public, max-age=31536000, immutable",
            "x-content-type-options": "nosniff",
            vary: "Accept-Encoding",
            ...(coding !== null && { "content-encoding": coding }),
          })
        }),
    )
  }

  play("for shops' pages has a stable name, is cached for minutes, and loads on any origin", () =>
    Effect.gen(function* () {
      const { headers, status } = yield* get(HostedPage.embedPath)
      assert.strictEqual(status, 200)
      const { "request-id": _, ...rest } = Object.fromEntries(headers)
      assert.deepStrictEqual(rest, {
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": "public, max-age=300",
        "access-control-allow-origin": "*",
        "cross-origin-resource-policy": "cross-origin",
        "x-content-type-options": "nosniff",
        vary: "Accept-Encoding",
      })
    }),
  )

  it.live("is sent over a socket byte for byte, with its length", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeListener.NodeListener
      const wire = yield* Wire.open(port)
      wire.say(
        Wire.request("GET", Hosted.filePath) +
          Wire.request("GET", Hosted.filePath, { "Accept-Encoding": "br" }) +
          Wire.request("GET", Hosted.filePath, { "Accept-Encoding": "br", Connection: "close" }),
      )
      const { answers } = yield* wire.ended
      assert.deepStrictEqual(
        answers.map(({ body, headers }) => [body, headers.get("content-length")]),
        [
          ["plain é", "8"],
          ["brotli", "6"],
          ["brotli", "6"],
        ],
      )
      const asking = yield* Wire.open(port, { isHead: true })
      asking.say(Wire.request("HEAD", Hosted.filePath))
      const [head] = yield* asking.answers(1)
      assert.strictEqual(head?.headers.get("content-length"), "8")
    }).pipe(Effect.provide(Wire.layer({}, withPages()))),
  )

  play("is 404 under another name", () =>
    Effect.gen(function* () {
      for (const path of [`${Hosted.filePath}.br`, "/pages/assets/", "/pages/assets/../assets/x"]) {
        Scene.isProblem(yield* get(path), 404, "not_found")
      }
    }),
  )
})

describe("the logo of a merchant", () => {
  const fetching = withPages({ allowPrivateLogos: true })

  /** Where a merchant keeps its logo: on this machine, with a certificate that is believed. */
  const shop = Effect.fnUntraced(function* (body: Uint8Array) {
    const certificate = Certificate.selfSigned("localhost")
    yield* Certificate.trust(certificate)
    const { connections, port } = yield* Receiver.listen((socket) => {
      const head = `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${body.length}`
      Receiver.says(`${head}\r\n\r\n`)(socket)
      Receiver.says(body)(socket)
    }, certificate)
    return { connections, iconUrl: `https://localhost:${port}/logo` }
  })

  /** A payment of a merchant with this logo. */
  const paymentWith = Effect.fnUntraced(function* (
    { key, merchantId }: Scene.Scene["own"],
    iconUrl: string,
  ) {
    const path = `/v1/merchants/${merchantId}`
    const changed = yield* Scene.send({ method: "PATCH", path, key, body: { iconUrl } })
    assert.strictEqual(changed.status, 200, changed.text)
    return yield* Scene.createPayment(key, merchantId)
  })

  play(
    "is served under the payment's id with its own type, and fetched once",
    ({ own }) =>
      Effect.gen(function* () {
        const { connections, iconUrl } = yield* shop(Pictures.png)
        const id = yield* paymentWith(own, iconUrl)
        const path = `/pages/logos/${id}`
        const { headers: found, status } = yield* get(path)
        assert.strictEqual(status, 200)
        const { "request-id": _, ...headers } = Object.fromEntries(found)
        assert.deepStrictEqual(headers, {
          "content-type": "image/png",
          "cache-control": "private, max-age=300",
          "content-security-policy": "default-src 'none'; sandbox",
          "cross-origin-resource-policy": "same-origin",
          "x-content-type-options": "nosniff",
        })
        const world = yield* World
        const again = yield* world.respond(Scene.requestOf({ path }))
        const body = yield* Effect.promise(() => again.arrayBuffer())
        assert.deepStrictEqual(new Uint8Array(body), Pictures.png)
        const head = yield* Scene.send({ path, method: "HEAD" })
        assert.deepStrictEqual([head.status, head.text], [200, ""])
        assert.strictEqual(connections(), 1)
      }).pipe(Effect.scoped),
    fetching,
  )

  play(
    "is 404 if the payment has no usable one, and no other address is fetched",
    ({ other, own }) =>
      Effect.gen(function* () {
        const { connections, iconUrl } = yield* shop(new TextEncoder().encode("<svg/>"))
        const bare = yield* Scene.createPayment(other.key, other.merchantId)
        for (const path of [
          `/pages/logos/${bare}`,
          `/pages/logos/${bare}?url=${encodeURIComponent(iconUrl)}`,
          "/pages/logos/pay_nobody",
          `/pages/logos/${encodeURIComponent(iconUrl)}`,
          `/pages/logos/${iconUrl}`,
        ]) {
          Scene.isProblem(yield* get(path), 404, "not_found")
        }
        assert.strictEqual(connections(), 0)
        const id = yield* paymentWith(own, iconUrl)
        Scene.isProblem(yield* get(`/pages/logos/${id}`), 404, "not_found")
        assert.strictEqual(connections(), 1)
      }).pipe(Effect.scoped),
    fetching,
  )

  play("A6: is fetched from public addresses only, unless private ones are allowed", ({ own }) =>
    Effect.gen(function* () {
      const { connections, iconUrl } = yield* shop(Pictures.png)
      const id = yield* paymentWith(own, iconUrl)
      Scene.isProblem(yield* get(`/pages/logos/${id}`), 404, "not_found")
      assert.strictEqual(connections(), 0)
    }).pipe(Effect.scoped),
  )
})

describe("the token of a page", () => {
  const operations = [
    ["GET", ""],
    ["POST", "/options"],
    ["POST", "/fetch"],
    ["POST", "/confirm"],
    ["GET", "/status"],
    ["POST", "/cancel"],
  ] as const

  /** Every call of the gateway for a payment, under a prefix. */
  const calls = (prefix: string, id: string, credential: Readonly<Record<string, string>>) =>
    Effect.forEach(operations, ([method, path]) =>
      Scene.send({
        method,
        path: `${prefix}/v1/gateway/payment/${id}${path}`,
        headers: credential,
        ...(method === "POST" && { body: { accounts: [], optionId: "x", data: "", results: [] } }),
      }),
    )

  play("of a checkout is enough for its payment from options to receipt", ({ own }) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const { token } = yield* open(`/${id}`)
      const headers = { "Page-Token": token }
      const at = (path: string) => `/pages/v1/gateway/payment/${id}${path}`
      const offered = yield* Scene.send({
        path: `${at("/options")}?includePaymentInfo=true`,
        headers,
        body: { accounts: [account] },
      })
      assert.deepStrictEqual(Scene.at(offered.body, "info", "buyer"), {
        accountCaip10: account,
        accountProviderName: "",
        accountProviderIcon: "https://pay.example.com/icons/wallet.svg",
      })
      const option = Scene.at(offered.body, "options", 0) ?? assert.fail(offered.text)
      const body = yield* Scene.confirmBody(own.key, id, option)
      const confirmed = yield* Scene.send({ path: at("/confirm"), headers, body })
      assert.strictEqual(Scene.text(confirmed.body, "status"), "processing", confirmed.text)
      const status = yield* get(at("/status"), headers)
      assert.strictEqual(Scene.text(status.body, "status"), "processing")
    }),
  )

  play("of a checkout cannot access another payment, which is 404", ({ own }) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const foreign = yield* Scene.createPayment(own.key, own.merchantId)
      const { token } = yield* open(`/${id}`)
      const credential = { "Page-Token": token }
      const without = (answers: ReadonlyArray<Scene.Reply>) =>
        answers.map(({ text }) => text.replace(/"requestId":"\w+"/u, ""))
      const answers = [
        ...(yield* calls("/pages", foreign, credential)),
        ...(yield* calls("/pages", "pay_nobody", credential)),
      ]
      for (const [index, answer] of answers.entries()) {
        // A confirm without results is refused before anybody looks for its payment.
        if (index % operations.length === 3) Scene.isProblem(answer, 400, "params_validation")
        else Scene.isProblem(answer, 404, "payment_not_found")
      }
      const count = operations.length
      assert.deepStrictEqual(without(answers.slice(0, count)), without(answers.slice(count)))
    }),
  )

  play("does not work as a key, nor a key as a token", ({ own, walletKey }) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const { token } = yield* open(`/${id}`)
      for (const answer of yield* calls("", id, { "Page-Token": token })) {
        Scene.isProblem(answer, 401, "missing_api_key")
      }
      for (const answer of yield* calls("", id, { "Api-Key": token })) {
        Scene.isProblem(answer, 401, "invalid_api_key")
      }
      for (const key of [own.key, walletKey]) {
        for (const header of ["Api-Key", "Page-Token"]) {
          const answers = [
            ...(yield* calls("/pages", id, { [header]: key })),
            yield* Scene.send({ path: "/pages/collected", headers: { [header]: key }, body: {} }),
          ]
          for (const answer of answers) Scene.isProblem(answer, 401, "invalid_api_key")
        }
      }
      const status = yield* get(`/v1/gateway/payment/${id}/status`, { "Api-Key": own.key })
      assert.strictEqual(Scene.text(status.body, "status"), "requires_action")
    }),
  )

  play("of one page does not work for another kind of page", ({ own }) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const form = yield* open(Hosted.collectPath(id, [account]))
      for (const answer of yield* calls("/pages", id, { "Page-Token": form.token })) {
        Scene.isProblem(answer, 403, "forbidden")
      }
      Scene.isProblem(yield* collected((yield* open(`/${id}`)).token), 403, "forbidden")
      assert.deepStrictEqual(yield* kept(id), {})
    }),
  )

  play(
    "expires: the form's after 15 minutes, the checkout's an hour after its payment",
    ({ own }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId, {
          expiresAt: Scene.now / 1000 + 3600,
        })
        const checkout = yield* open(`/${id}`)
        const form = yield* open(Hosted.collectPath(id, [account]))
        const status = () =>
          get(`/pages/v1/gateway/payment/${id}/status`, { "Page-Token": checkout.token })
        yield* pass("899 seconds")
        assert.strictEqual((yield* collected(form.token, [])).status, 400)
        yield* pass("1 second")
        Scene.isProblem(yield* collected(form.token), 401, "invalid_api_key")
        assert.deepStrictEqual(yield* kept(id), {})
        yield* pass("6299 seconds")
        assert.strictEqual(Scene.text((yield* status()).body, "status"), "expired")
        yield* pass("1 second")
        Scene.isProblem(yield* status(), 401, "invalid_api_key")
      }),
  )

  play("A13: cannot be forged", ({ own }) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const { token } = yield* open(`/${id}`)
      const last = token.endsWith("A") ? "B" : "A"
      for (const forged of [
        "",
        "x",
        token.slice(1),
        `${token}A`,
        `${token.slice(0, -2)}${last}A`,
      ]) {
        const answer = yield* get(`/pages/v1/gateway/payment/${id}`, { "Page-Token": forged })
        Scene.isProblem(answer, 401, "invalid_api_key")
      }
    }),
  )

  play(
    "shares its rate limit with every page of its payment, and no other",
    ({ own }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const other = yield* Scene.createPayment(own.key, own.merchantId)
        const status = (payment: string, token: string) =>
          get(`/pages/v1/gateway/payment/${payment}/status`, { "Page-Token": token })
        const checkout = yield* open(`/${id}`)
        const form = yield* open(Hosted.collectPath(id, [account]))
        for (const { token } of [checkout, yield* open(`/${id}`), checkout]) {
          assert.strictEqual((yield* status(id, token)).status, 200)
        }
        Scene.isProblem(yield* collected(form.token, []), 400, "params_validation")
        Scene.isProblem(yield* status(id, checkout.token), 429, "rate_limited")
        Scene.isProblem(yield* collected(form.token), 429, "rate_limited")
        const { token } = yield* open(`/${other}`)
        assert.strictEqual((yield* status(other, token)).status, 200)
      }),
    withPages({}, { rateLimit: { burst: 4, perSecond: 0.001 } }),
  )
})

describe("the data form", () => {
  const asking = { ...withPages(), collectData: CollectDataPolicy.layerAlways }

  play(
    "contains the questions, the accounts, and where the data is sent",
    ({ own }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const option = yield* Scene.firstOption(own.key, id)
        const { pathname, search } = new URL(Scene.text(option, "collectData", "url"))
        const { data, answer } = yield* open(pathname + search)
        assert.include(answer.text, "<title>Collect</title>")
        const { pageToken, ...told } = JSON.parse(JSON.stringify(data))
        assert.deepStrictEqual(told, {
          page: "collect",
          paymentId: id,
          mode: "test",
          merchantName: "Corner Shop",
          collectData: {
            fields: Scene.at(option, "collectData", "fields"),
            schema: Scene.at(option, "collectData", "schema"),
          },
          closed: null,
          termsUrl: "https://pay.example.com/terms",
          privacyUrl: "https://pay.example.com/privacy",
        })
        const { sealKey } = yield* Settings
        const read = PageToken.read(pageToken, sealKey, Scene.now)
        assert.deepStrictEqual(
          read._tag === "Success" && read.success.accounts.map(Eip155.formatAccount),
          [account],
        )
      }),
    asking,
  )

  play(
    "stores data for every account of its token, so that a confirm needs none",
    ({ own }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const option = yield* Scene.firstOption(own.key, id)
        const url = new URL(Scene.text(option, "collectData", "url"))
        const sealed = url.searchParams.get("session") ?? assert.fail("there is no session")
        const path = Hosted.collectPath(id, [account, second.toLowerCase()], sealed)
        const form = yield* open(path)
        const answer = yield* collected(form.token)
        assert.strictEqual(answer.status, 200, answer.text)
        assert.deepStrictEqual(answer.body, {})
        assert.deepStrictEqual(yield* kept(id), {
          [account]: "Ada Lovelace",
          [second]: "Ada Lovelace",
        })
        assert.isNull(Scene.at((yield* open(path)).data, "collectData"))
        const body = yield* Scene.confirmBody(own.key, id, option)
        const confirmPath = `/v1/gateway/payment/${id}/confirm`
        const confirmed = yield* Scene.send({ path: confirmPath, key: own.key, body })
        assert.strictEqual(confirmed.status, 200, confirmed.text)
      }),
    asking,
  )

  play(
    "S13: does not reveal the payer's data to a stranger, whose options ask for data again",
    ({ own }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const payers = yield* Scene.firstOption(own.key, id)
        const strangers = yield* Scene.firstOption(own.key, id)
        const formOf = (option: Scene.Json) => {
          const { pathname, search } = new URL(Scene.text(option, "collectData", "url"))
          return open(`${pathname}${search}`)
        }
        const mouse = [{ id: "fullName", value: "Mickey Mouse" }, ...ada.slice(1)]
        assert.strictEqual((yield* collected((yield* formOf(strangers)).token, mouse)).status, 200)
        assert.isNotNull(Scene.at((yield* formOf(payers)).data, "collectData"))
        assert.isNotNull(Scene.at(yield* Scene.firstOption(own.key, id), "collectData"))
        const body = yield* Scene.confirmBody(own.key, id, payers)
        const path = `/v1/gateway/payment/${id}/confirm`
        const refused = yield* Scene.send({ path, key: own.key, body })
        assert.include(Scene.text(refused.body, "message"), "IC data required")

        yield* collected((yield* formOf(payers)).token)
        const refreshed = yield* Scene.send({
          path: `/v1/gateway/payment/${id}/options`,
          key: own.key,
          body: { accounts: [account], refresh: ["forged", Scene.text(payers, "id")] },
        })
        assert.isNull(Scene.at(refreshed.body, "options", 0, "collectData"))
        const confirmed = yield* Scene.send({ path, key: own.key, body })
        assert.strictEqual(confirmed.status, 200, confirmed.text)
      }),
    asking,
  )

  play(
    "S13: is 404 without a session that the service sealed for the payment",
    ({ own }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const other = yield* Scene.createPayment(own.key, own.merchantId)
        const foreign = new URL(Hosted.collectPath(other, [account]), "https://pay.example.com")
        const sealed = foreign.searchParams.get("session") ?? ""
        for (const session of ["", Hosted.session, sealed, `${sealed}A`]) {
          const answer = yield* get(Hosted.collectPath(id, [account], session))
          assert.strictEqual(answer.status, 404, session)
        }
      }),
    asking,
  )

  play(
    "does not replace data that was sent before",
    ({ own }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const first = yield* open(Hosted.collectPath(id, [account]))
        const wider = yield* open(Hosted.collectPath(id, [account, second]))
        yield* collected(first.token)
        const mallory = [{ id: "fullName", value: "Mallory" }, ...ada.slice(1)]
        for (const { token } of [first, wider]) {
          assert.deepStrictEqual((yield* collected(token, mallory)).body, {})
        }
        assert.deepStrictEqual(yield* kept(id), { [account]: "Ada Lovelace", [second]: "Mallory" })
      }),
    asking,
  )

  play(
    "names wrong fields, and stores or repeats no value",
    ({ own }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const { token } = yield* open(Hosted.collectPath(id, [account]))
        const wrong = yield* collected(token, [
          { id: "fullName", value: "CanaryName" },
          { id: "dob", value: "CanaryDate" },
          { id: "porCountry", value: "CanaryLand" },
          { id: "porAddress", value: "CanaryStreet" },
        ])
        assert.sameMembers(
          [...Scene.fieldsOf(wrong)],
          ["collectedData.dob", "collectedData.porCountry", "collectedData.tosConfirmed"],
        )
        assert.notInclude(wrong.text, "Canary")
        for (const body of [{}, { fields: "Canary" }, { fields: [{ id: "Canary", value: 1 }] }]) {
          const answer = yield* Scene.send({
            path: "/pages/collected",
            headers: { "Page-Token": token },
            body,
          })
          assert.isAbove(Scene.fieldsOf(answer).length, 0)
          assert.notInclude(answer.text, "Canary")
        }
        assert.deepStrictEqual(yield* kept(id), {})
      }),
    asking,
  )

  const lines: Array<AccessLog.Line> = []
  play(
    "S33: refuses data that is too large with 400, and stores the largest allowed data once",
    ({ own }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const { token } = yield* open(Hosted.collectPath(id, [account]))
        lines.length = 0
        const named = (value: string) => [{ id: "fullName", value }, ...ada.slice(1)]
        for (const length of [201, 4096, 60_000, 70_000, 200_000]) {
          const answer = yield* collected(token, named("x".repeat(length)))
          assert.isAbove(Scene.fieldsOf(answer).length, 0, `${length}`)
        }
        const many = Array.from({ length: 5000 }, () => ({ id: "x", value: "y" }))
        assert.deepStrictEqual(Scene.fieldsOf(yield* collected(token, many)), ["collectedData"])
        assert.deepStrictEqual(yield* kept(id), {})
        assert.deepStrictEqual(
          lines.map(({ defect }) => defect),
          lines.map(() => null),
        )
        const longest = named("\u{1f600}".repeat(200))
        for (const data of [longest, ada]) {
          assert.strictEqual((yield* collected(token, data)).status, 200)
        }
        assert.deepStrictEqual(yield* kept(id), { [account]: "\u{1f600}".repeat(200) })
      }),
    { ...asking, ...withPages({}, { log: (line) => lines.push(line) }) },
  )

  play(
    "S33: does not store data that was not required",
    ({ own }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const { token } = yield* open(Hosted.collectPath(id, [account, second]))
        assert.strictEqual((yield* collected(token)).status, 200)
        assert.deepStrictEqual(yield* kept(id), {})
      }),
    withPages(),
  )

  play(
    "is closed if the payment cannot be paid any more",
    ({ own }) =>
      Effect.gen(function* () {
        const path = (id: string) => Hosted.collectPath(id, [account])
        const cancelled = yield* Scene.createPayment(own.key, own.merchantId)
        const before = yield* open(path(cancelled))
        yield* Scene.send({
          method: "POST",
          path: `/v1/gateway/payment/${cancelled}/cancel`,
          key: own.key,
        })
        assert.strictEqual(Scene.at((yield* open(path(cancelled))).data, "closed"), "cancelled")
        Scene.isProblem(yield* collected(before.token), 400, "invalid_state")
        const late = yield* Scene.createPayment(own.key, own.merchantId)
        const form = yield* open(path(late))
        yield* pass("5 minutes")
        assert.strictEqual(Scene.at((yield* open(path(late))).data, "closed"), "expired")
        Scene.isProblem(yield* collected(form.token), 410, "payment_expired")
        assert.deepStrictEqual(yield* kept(late), {})
      }),
    asking,
  )
})

describe("the log of the pages", () => {
  it.effect("has no tokens, queries or payers' data", () => {
    const lines: Array<AccessLog.Line> = []
    const log = (line: AccessLog.Line) => void lines.push(line)
    return Effect.gen(function* () {
      const { own } = yield* Scene.make
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      lines.length = 0
      const checkout = yield* open(`/?pid=${id}&prefill=Canary`)
      yield* open(`/${id}`)
      const form = yield* open(`${Hosted.collectPath(id, [account])}&prefill=Canary`)
      yield* get(Hosted.filePath)
      yield* visit("/?pid=pay_nobody")
      yield* get(`/pages/v1/gateway/payment/${id}/status`, { "Page-Token": checkout.token })
      yield* collected(form.token)
      yield* collected("Canary", [{ id: "Canary", value: "Canary" }])
      const paths = ["/", "/:paymentId", "/collect/", Hosted.filePath, "/"]
      const calls = ["/pages/v1/gateway/payment/:id/status", "/pages/collected", "/pages/collected"]
      assert.deepStrictEqual(
        lines.map(({ code, params, route, status }) => [route, status, code, params]),
        [...paths, ...calls].map((route, index) => [
          route,
          index === 4 ? 404 : index === 7 ? 401 : 200,
          index === 7 ? "invalid_api_key" : null,
          route === "/:paymentId"
            ? { paymentId: id }
            : route?.includes(":id") === true
              ? { id }
              : {},
        ]),
      )
      const text = JSON.stringify(lines)
      for (const secret of [checkout.token, form.token, "Canary", "Lovelace", account]) {
        assert.notInclude(text, secret)
      }
      assert.isTrue(lines.every(({ keyId, partnerId }) => keyId === null && partnerId === null))
    }).pipe(Effect.provide(Scene.layer(withPages({}, { log }))))
  })
})
