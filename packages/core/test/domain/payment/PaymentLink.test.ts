import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as PaymentLink from "@florin/core/domain/payment/PaymentLink"
import * as Counts from "@florin/testing/Counts"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import vectors from "./payment-links.json" with { type: "json" }

const { trust, rows } = vectors
const host = trust.payLinkHost

const outcome = (text: string) =>
  Result.match(PaymentLink.parse(text, trust), {
    onFailure: (error) => ({ gives: error._tag, reason: error.reason }),
    onSuccess: ({ _tag, ...rest }) => ({ gives: _tag, ...rest }),
  })

const message = (text: string): string =>
  Result.match(PaymentLink.parse(text, trust), {
    onFailure: (error) => error.message,
    onSuccess: () => "",
  })

/** What the browser's own parser makes of a text. */
const asBrowser = (text: string): URL | undefined =>
  URL.canParse(text) ? new URL(text) : undefined

const leadsToUs = (url: URL): boolean => url.hostname === host || url.hostname.endsWith(`.${host}`)

const mayPay = (url: URL): boolean =>
  url.searchParams.has("pid") || url.pathname.split("/").some((part) => part.startsWith("pay_"))

/** Whatever we take for a payment, a browser opens on the trusted host and finds the same id there. */
const checkAgainstBrowser = (text: string): void => {
  const result = PaymentLink.parse(text, trust)
  const url = asBrowser(text)
  if (Result.isFailure(result)) {
    assert.strictEqual(result.failure._tag, "InvalidLink")
  } else if (result.success._tag === "PaymentLink" && text !== result.success.paymentId) {
    assert.isDefined(url)
    if (url === undefined) return
    if (!trust.localOrigins.includes(url.origin)) {
      assert.isTrue(leadsToUs(url))
      assert.strictEqual(url.protocol, "https:")
      assert.strictEqual(url.port, "")
    }
    assert.strictEqual(url.username + url.password, "")
    const inPath = url.pathname.startsWith("/pay_") ? [url.pathname.slice(1)] : []
    assert.deepStrictEqual(
      [...inPath, ...url.searchParams.getAll("pid")],
      [result.success.paymentId],
    )
  } else if (
    result.success._tag === "Other" &&
    url !== undefined &&
    /^https?:$/u.test(url.protocol)
  ) {
    assert.isFalse(leadsToUs(url) && mayPay(url), "a link a browser would mend is not refused")
  }
}

const verdicts: { readonly [gives: string]: string } = {
  PaymentLink: "finds the payment in the text",
  PairingWithPayment: "finds the payment in a WalletConnect link",
  PairingUri: "takes the text for a WalletConnect link without a payment",
  Other: "takes the text for no payment link",
  InvalidLink: "refuses the text as a wrong payment link",
}

describe("PaymentLink.parse", () => {
  for (const { name, text, ...expected } of rows) {
    it(`${verdicts[expected.gives]}: ${name}`, () => {
      const uri = expected.gives.startsWith("Pairing") ? { uri: text } : {}
      assert.deepEqual<object>(outcome(text), { ...expected, ...uri })
      checkAgainstBrowser(text)
    })
  }

  it("returns only valid ids, and the pairing text as it was read", () => {
    const isPaymentId = Schema.is(PaymentId.PaymentId)
    for (const { text } of rows) {
      const result = PaymentLink.parse(text, trust)
      if (Result.isFailure(result)) continue
      const link = result.success
      if ("paymentId" in link) assert.isTrue(isPaymentId(link.paymentId), text)
      if ("uri" in link) assert.strictEqual(link.uri, text)
    }
  })

  it("A8: has a test vector for each result and each reason", () => {
    assert.isAtLeast(rows.length, 60)
    assert.deepStrictEqual([...new Set(rows.map((row) => row.reason ?? row.gives))].toSorted(), [
      "Other",
      "PairingUri",
      "PairingWithPayment",
      "PaymentLink",
      "ambiguous",
      "form",
      "host",
      "id",
      "pairing",
    ])
  })

  it("accepts a link of the maximum length and refuses a longer one", () => {
    const start = `https://${host}/?pid=pay_1&x=`
    const longest = start + "x".repeat(Limits.linkMaxLength - start.length)
    assert.deepEqual<object>(outcome(longest), { gives: "PaymentLink", paymentId: "pay_1" })
    assert.deepEqual<object>(outcome(`${longest}x`), { gives: "InvalidLink", reason: "length" })
    assert.deepEqual<object>(outcome("x".repeat(Limits.linkMaxLength)), { gives: "Other" })
    assert.deepEqual<object>(outcome("x".repeat(1_000_000)), {
      gives: "InvalidLink",
      reason: "length",
    })
  })

  it("refuses a lone surrogate, which a JSON table cannot contain", () => {
    assert.deepEqual<object>(outcome(`https://${host}/pay_1#\ud800`), {
      gives: "InvalidLink",
      reason: "form",
    })
    assert.deepEqual<object>(outcome("wc:a1@2#\udfff"), { gives: "InvalidLink", reason: "pairing" })
    assert.deepEqual<object>(outcome("\ud800"), { gives: "Other" })
  })

  it("A8: recognizes our host despite every character that readers ignore", () => {
    const all = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code))
    const dropped = all.filter((one) => /[\p{Default_Ignorable_Code_Point}\p{Cc}]/u.test(one))
    assert.isAbove(dropped.length, 4000)
    const [start, end] = [`https://${host.slice(0, 2)}`, `${host.slice(2)}/pay_1`]
    const unseen = dropped.filter((one) => {
      const result = PaymentLink.parse(`${start}${one}${end}`, trust)
      return !Result.isFailure(result) || result.failure.reason !== "host"
    })
    assert.deepStrictEqual(unseen, [])
  })

  it("trusts no local origin that is not configured", () => {
    const local = "http://localhost:3000/pay_1"
    assert.deepStrictEqual(
      PaymentLink.parse(local, { payLinkHost: host }),
      Result.succeed<PaymentLink.PaymentLink>({ _tag: "Other" }),
    )
    assert.deepStrictEqual(
      PaymentLink.parse(local, { payLinkHost: host, localOrigins: [] }),
      Result.succeed<PaymentLink.PaymentLink>({ _tag: "Other" }),
    )
  })

  it("accepts settings in any letter case", () => {
    const shouted = { payLinkHost: host.toUpperCase(), localOrigins: ["HTTP://LOCALHOST:3000"] }
    for (const text of [`https://${host}/pay_1`, "http://localhost:3000/pay_1"]) {
      const result = PaymentLink.parse(text, shouted)
      assert.isTrue(Result.isSuccess(result) && result.success._tag === "PaymentLink", text)
    }
    const mended = PaymentLink.parse(`http://${host}/pay_1`, shouted)
    assert.isTrue(Result.isFailure(mended))
  })

  it("A8: trusts a service on this machine by its port, and only over http", () => {
    const read = (text: string) =>
      Result.match(PaymentLink.parse(text, { payLinkHost: "localhost:3000" }), {
        onFailure: ({ reason }) => reason,
        onSuccess: ({ _tag }) => _tag,
      })
    const texts = {
      "http://localhost:3000/?pid=pay_1": "PaymentLink",
      "HTTP://LOCALHOST:3000/pay_1": "PaymentLink",
      "https://localhost:3000/?pid=pay_1": "host",
      "http://localhost/?pid=pay_1": "host",
      "https://localhost/?pid=pay_1": "host",
      "http://localhost:30000/?pid=pay_1": "host",
      "http://x@localhost:3000/?pid=pay_1": "host",
      "http://pay.localhost:3000/?pid=pay_1": "host",
      "http://localhost:3000.evil.example/?pid=pay_1": "Other",
      "http://evil.example:3000/?pid=pay_1": "Other",
    }
    for (const [text, wanted] of Object.entries(texts)) assert.strictEqual(read(text), wanted, text)
    // Any other host with a port is no host of ours: nothing is trusted by mistake.
    for (const scheme of ["http", "https"]) {
      const odd = PaymentLink.parse(`${scheme}://a.test:1/pay_1`, { payLinkHost: "a.test:1" })
      assert.isFalse(Result.isSuccess(odd) && odd.success._tag === "PaymentLink", scheme)
    }
  })

  it("trusts no link if the host is empty", () => {
    for (const text of [
      "https://evil.example/pay_1",
      "https://evil.example./pay_1",
      "https:///pay_1",
    ]) {
      const result = PaymentLink.parse(text, { payLinkHost: "" })
      assert.isFalse(Result.isSuccess(result) && result.success._tag === "PaymentLink", text)
    }
  })

  it("reports what is wrong without repeating the text", () => {
    assert.deepStrictEqual(
      [
        message("x".repeat(Limits.linkMaxLength + 1)),
        message(`http://${host}/pay_1`),
        message(`https://${host}/pay_1%`),
        message(`https://${host}/?%=1`),
        message(`https://${host}/?%70id=pay_1`),
        message(`https://${host}/pay_`),
        message(`https://${host}/?pid=pay_1&pid=pay_2`),
        message("wc:a1@2?pay=%"),
        message("wc:a1@2?p%61y=x"),
        message("wc:a1@2?pay=x"),
        message("wc:a1@2?pay=x&pay=y"),
      ],
      [
        "a link has at most 2048 characters",
        `a payment link begins with https://${host}, without user or port`,
        "the link must be plain ASCII, with every other character percent-encoded",
        "the link must be plain ASCII, with every other character percent-encoded",
        "the link must write pid plainly",
        "a payment id is pay_ and 1 to 64 letters or digits",
        "the link names more than one payment: ask for a new one",
        "the link must be plain ASCII, with every other character percent-encoded",
        "the link must write pay plainly",
        "pay must hold one payment link, encoded once",
        "the pairing URI names more than one payment: ask for a new one",
      ],
    )
  })

  const texts = rows.map((row) => row.text)
  const characters =
    "\0\t\n\r \\/?#@:.%&=\u00ad\u200b\u3002\uff0e\uff0f\u212a\u017f\u0430\ud800\u202e\u0661\ufeff"
  const words = `// :443 %2e %2F %40 %70 %00 %ff %25 pay_ pid= pay= wc: http https: ${host} evil.example __proto__ xn--`
  const splinters = [...characters, ...words.split(" ")]
  const mutated = Arbitrary.map(
    Arbitrary.schema(
      Schema.Struct({
        text: Schema.Literals(texts),
        changes: Schema.Array(
          Schema.Struct({
            at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 80 })),
            drop: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
            splinter: Schema.Literals(["", ...splinters]),
          }),
        ).check(Schema.isMaxLength(4)),
      }),
    ),
    ({ text, changes }) => {
      let mutant: string = text
      for (const { at, drop, splinter } of changes) {
        mutant = mutant.slice(0, at) + splinter + mutant.slice(at + drop)
      }
      return mutant
    },
  )

  it.prop(
    "reads hostile texts as a browser does, or refuses them",
    [mutated],
    ([text]) => checkAgainstBrowser(text),
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 200_000 }) } },
  )

  it.prop("returns a result for any text", [Schema.String], ([text]) => checkAgainstBrowser(text), {
    arbitrary: { runs: Counts.of({ usual: 2000, full: 50_000 }) },
  })
})

describe("PaymentLink.format", () => {
  it("prints the query form", () => {
    const id = Result.getOrThrow(PaymentId.parse("pay_1"))
    assert.strictEqual(PaymentLink.format({ payLinkHost: host }, id), `https://${host}/?pid=pay_1`)
  })

  it("prints http and the port for this machine, which parse accepts only with that setting", () => {
    const id = Result.getOrThrow(PaymentId.parse("pay_1"))
    const local = { payLinkHost: "localhost:3000" }
    const link = PaymentLink.format(local, id)
    assert.strictEqual(link, "http://localhost:3000/?pid=pay_1")
    assert.deepStrictEqual(
      PaymentLink.parse(link, local),
      Result.succeed({ _tag: "PaymentLink", paymentId: id }),
    )
    const elsewhere = PaymentLink.parse(link, { payLinkHost: host })
    assert.deepStrictEqual(elsewhere, Result.succeed({ _tag: "Other" }))
  })

  it.prop(
    "prints a link that parse reads, also inside a pairing",
    [PaymentId.PaymentId],
    ([paymentId]) => {
      const link = PaymentLink.format({ payLinkHost: host }, paymentId)
      assert.deepEqual<object>(outcome(link), { gives: "PaymentLink", paymentId })
      const uri = `wc:a1@2?symKey=b2&pay=${encodeURIComponent(link)}`
      assert.deepEqual<object>(outcome(uri), { gives: "PairingWithPayment", paymentId, uri })
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 10_000 }) } },
  )
})
