import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/Caip"
import * as Limits from "@florin/core/domain/Limits"
import * as PageToken from "@florin/core/domain/PageToken"
import * as Seal from "@florin/core/domain/Seal"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Samples from "./samples.ts"

const { now, sealKey } = Samples
const account = { chainId: Caip.ChainId.make(8453), address: Samples.address("a") }
const pass: PageToken.Pass = {
  use: "collect",
  mode: "live",
  paymentId: Samples.paymentId,
  accounts: [account, { ...account, chainId: Caip.ChainId.make(1) }],
  endsAt: now + 1000,
}
const token = PageToken.issue(pass, sealKey)

const refused = (text: string, at = now, key = sealKey) => {
  const read = PageToken.read(text, key, at)
  if (Result.isSuccess(read)) return assert.fail(`opened: ${text}`)
  assert.strictEqual(read.failure._tag, "InvalidPageToken")
  assert.strictEqual(read.failure.message, "this page may not call any more: load it again")
}

describe("PageToken", () => {
  it.prop(
    "gives back every pass that it was issued for",
    [Arbitrary.schema(PageToken.Pass)],
    ([any]) => {
      const endsAt = Math.abs(any.endsAt) % 2 ** 48
      const wanted = { ...any, endsAt }
      const text = PageToken.issue(wanted, sealKey)
      assert.match(text, /^[-\w]+$/u)
      if (endsAt === 0) refused(text, 0)
      else
        assert.deepStrictEqual(Result.getOrThrow(PageToken.read(text, sealKey, endsAt - 1)), wanted)
      refused(text, endsAt)
    },
    { arbitrary: { runs: Counts.of({ usual: 300, full: 10_000 }) } },
  )

  it("is refused at its end, and not a millisecond before", () => {
    assert.isTrue(Result.isSuccess(PageToken.read(token, sealKey, pass.endsAt - 1)))
    refused(token, pass.endsAt)
    refused(token, pass.endsAt + 1)
  })

  it("is another text for every use, mode, payment, account and end", () => {
    const others: ReadonlyArray<PageToken.Pass> = [
      { ...pass, use: "checkout" },
      { ...pass, mode: "test" },
      { ...pass, paymentId: Samples.otherPaymentId },
      { ...pass, accounts: [account] },
      { ...pass, accounts: [] },
      { ...pass, endsAt: pass.endsAt + 1 },
    ]
    const texts = [pass, ...others].map((each) => PageToken.issue(each, sealKey))
    assert.strictEqual(new Set(texts).size, texts.length)
  })

  it("refuses another key and another purpose", () => {
    refused(token, now, Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(8)])))
    const bytes = Result.getOrThrow(Seal.open(sealKey, "page", token))
    for (const purpose of ["option", "cursor"] as const) {
      refused(Seal.seal(sealKey, purpose, bytes))
    }
    assert.strictEqual(Seal.seal(sealKey, "page", bytes), token)
  })

  it("refuses every change of one byte, every cut and every addition", () => {
    const bytes = Buffer.from(token, "base64url")
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes)
      changed[index] = (changed[index] ?? 0) ^ 1
      refused(changed.toString("base64url"))
      refused(bytes.subarray(0, index).toString("base64url"))
    }
    for (const added of ["A", "AAAA", "=", " "]) refused(token + added)
  })

  it("refuses what is sealed and is no pass", () => {
    const bytes = Result.getOrThrow(Seal.open(sealKey, "page", token))
    for (const [index, byte] of [
      [0, 2],
      [1, 2],
      [2, 2],
      [3, 0],
      [4, 0],
    ] as const) {
      refused(Seal.seal(sealKey, "page", bytes.with(index, byte)))
    }
    for (let length = 0; length < bytes.length; length++) {
      const cut = PageToken.read(Seal.seal(sealKey, "page", bytes.subarray(0, length)), sealKey, 0)
      if (Result.isSuccess(cut)) assert.isBelow(cut.success.accounts.length, pass.accounts.length)
    }
  })

  it.prop(
    "refuses whatever text a stranger makes up",
    [HostileText.near([token, PageToken.issue({ ...pass, accounts: [] }, sealKey)])],
    ([text]) => {
      const read = PageToken.read(text, sealKey, now)
      if (Result.isSuccess(read)) assert.strictEqual(PageToken.issue(read.success, sealKey), text)
      else refused(text)
    },
    { arbitrary: { runs: Counts.of({ usual: 500, full: 20_000 }) } },
  )
})

describe("PageToken.checkoutEndsAt", () => {
  const hour = 60 * 60 * 1000
  it("is an hour after the payment expires, or after now where it has", () => {
    const expiresAt = now / 1000 + 300
    assert.strictEqual(PageToken.checkoutEndsAt({ expiresAt }, now), now + 300_000 + hour)
    assert.strictEqual(PageToken.checkoutEndsAt({ expiresAt: now / 1000 - 9 }, now), now + hour)
  })

  it("is at most eight days away, which no payment needs", () => {
    const day = 24 * hour
    const latest = PageToken.checkoutEndsAt({ expiresAt: now / 1000 + 30 * 86_400 }, now)
    assert.strictEqual(latest, now + 8 * day)
    assert.isBelow(Limits.paymentLifeMaxInS * 1000 + hour, 8 * day)
  })
})

describe("PageToken.collectEndsAt", () => {
  it("is a quarter of an hour away", () => {
    assert.strictEqual(PageToken.collectEndsAt(now), now + 900_000)
  })
})
