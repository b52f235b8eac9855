import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as PageToken from "@florin/core/domain/payment/PageToken"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Harbour from "../harbour.ts"
import * as Samples from "../samples.ts"

const { now, sealKey } = Samples
const account = { chainId: Eip155.chainId(8453), address: Samples.address("a") }
const pass: PageToken.Pass = {
  use: "collect",
  mode: "live",
  paymentId: Samples.paymentId,
  accounts: [account, { ...account, chainId: Eip155.chainId(1) }],
  endsAt: now + 1000,
}
const token = PageToken.issue(pass, sealKey)
const longest = Caip.Address.make("aB".repeat(64))

const refused = (text: string, at = now, key = sealKey) => {
  const read = PageToken.read(text, key, at)
  if (Result.isSuccess(read)) return assert.fail(`opened: ${text}`)
  assert.strictEqual(read.failure._tag, "InvalidPageToken")
  assert.strictEqual(read.failure.message, "this page has expired: load it again")
}

describe("PageToken", () => {
  it.prop(
    "reads every pass that it issued",
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

  it("refuses a pass when it expires, and not a millisecond earlier", () => {
    assert.isTrue(Result.isSuccess(PageToken.read(token, sealKey, pass.endsAt - 1)))
    refused(token, pass.endsAt)
    refused(token, pass.endsAt + 1)
  })

  it("issues different texts for every purpose, mode, payment, account and expiry", () => {
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

  it("keeps accounts of several families in order, each on its own chain", () => {
    const accounts = [
      { chainId: Harbour.network.chainId, address: Harbour.payer },
      account,
      { ...account, chainId: Harbour.chainId("8453") },
      { chainId: Caip.ChainId.make(`abcdefgh:${"A".repeat(32)}`), address: longest },
      { chainId: Caip.ChainId.make("abc:_"), address: Caip.Address.make("0xA") },
    ]
    for (const each of [accounts, accounts.toReversed(), accounts.slice(0, 1)]) {
      const text = PageToken.issue({ ...pass, accounts: each }, sealKey)
      const read = PageToken.read(text, sealKey, now)
      assert.deepStrictEqual(Result.getOrThrow(read), { ...pass, accounts: each })
    }
    const [eip155, harbour] = [account, { ...account, chainId: Harbour.chainId("8453") }].map(
      (each) => PageToken.issue({ ...pass, accounts: [each] }, sealKey),
    )
    assert.notStrictEqual(eip155, harbour)
  })

  it("keeps the spelling of an address, which may matter to its family", () => {
    for (const text of ["aB", "Ab", "0xab", "0xAB", "0Xab", "0xabc", "0x", "%", "-."]) {
      const accounts = [{ ...account, address: Caip.Address.make(text) }]
      const read = PageToken.read(PageToken.issue({ ...pass, accounts }, sealKey), sealKey, now)
      assert.deepStrictEqual(Result.getOrThrow(read).accounts, accounts)
    }
  })

  it.prop(
    "refuses sealed text that is not a pass",
    [Schema.Uint8Array],
    ([bytes]) => {
      // The format, a use and a mode are right, and nothing else.
      for (const sealed of [bytes, Uint8Array.of(2, 0, 0, ...bytes)]) {
        const text = Seal.seal(sealKey, "page", sealed)
        const read = PageToken.read(text, sealKey, now)
        if (Result.isSuccess(read)) assert.strictEqual(PageToken.issue(read.success, sealKey), text)
        else refused(text)
      }
    },
    { arbitrary: { runs: Counts.of({ usual: 300, full: 10_000 }) } },
  )

  it("refuses another key and another purpose", () => {
    refused(token, now, Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(8)])))
    const bytes = Result.getOrThrow(Seal.open(sealKey, "page", token))
    for (const purpose of ["option", "cursor"] as const) {
      refused(Seal.seal(sealKey, purpose, bytes))
    }
    assert.strictEqual(Seal.seal(sealKey, "page", bytes), token)
  })

  it("refuses sealed bytes that are not a pass", () => {
    const bytes = Result.getOrThrow(Seal.open(sealKey, "page", token))
    for (const [index, byte] of [
      [0, 2],
      [0, 4],
      [1, 2],
      [2, 2],
      // The payment's id: its length, as hex, and its first letter.
      [3, 1],
      [3, 0x80],
      [4, 0],
      [4, 255],
      [5, 0],
    ] as const) {
      refused(Seal.seal(sealKey, "page", bytes.with(index, byte)))
    }
    for (const added of [[0], [0, 0], [0, 0, 0, 0], [255, 255], [0, 1, 97, 0, 1, 97]]) {
      refused(Seal.seal(sealKey, "page", Uint8Array.of(...bytes, ...added)))
    }
    for (let length = 0; length < bytes.length; length++) {
      const cut = PageToken.read(Seal.seal(sealKey, "page", bytes.subarray(0, length)), sealKey, 0)
      if (Result.isSuccess(cut)) assert.isBelow(cut.success.accounts.length, pass.accounts.length)
    }
  })

  it.prop(
    "refuses any text that a stranger makes up",
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
  it("is an hour after the payment expires, or an hour from now if it has expired", () => {
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
