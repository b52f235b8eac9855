import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Money from "@florin/core/domain/ground/Money"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import { Result, Schema } from "effect"
import * as Harbour from "../harbour.ts"
import * as Samples from "../samples.ts"

const { nowInS, option, otherPaymentId, paymentId, sealKey } = Samples
const otherKey = Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(8)]))

const read = (text: string, key = sealKey) => PaymentOption.read(text, paymentId, key)
const isNotFound = (result: Result.Result<unknown, { readonly _tag: string }>) =>
  Result.isFailure(result) && result.failure._tag === "OptionNotFound"

describe("PaymentOption.id", () => {
  it("contains the whole option", () => {
    for (const flow of Eip155.flows) {
      const nonces = [0n, 7n, Limits.maxQuantity].map(Samples.quantity)
      const originals =
        flow === "permit"
          ? nonces.map((permitNonce) => option({ flow, permitNonce }))
          : [option({ flow })]
      for (const original of originals)
        assert.deepStrictEqual(read(PaymentOption.id(original, sealKey)), Result.succeed(original))
    }
  })

  it("distinguishes the permit nonces, and nonce 0 from no nonce", () => {
    const numbered = [0n, 1n, 2n, 256n].map((nonce) =>
      option({ flow: "permit", permitNonce: Samples.quantity(nonce) }),
    )
    const originals = [option({ flow: "permit" }), ...numbered]
    const ids = originals.map((each) => PaymentOption.id(each, sealKey))
    assert.strictEqual(new Set(ids).size, originals.length)
    for (const [index, original] of originals.entries()) {
      assert.deepStrictEqual(read(ids[index] ?? ""), Result.succeed(original))
    }
  })

  it.prop(
    "reads back every quantity, time and chain",
    {
      quantity: Money.Quantity,
      fixedFee: Money.Quantity,
      issuedAt: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 40 - 1 })),
      chainId: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    },
    ({ chainId, fixedFee, issuedAt, quantity }) => {
      const chain = Eip155.chainId(chainId)
      const original = option({
        quantity,
        fixedFee,
        issuedAt,
        expiresAt: issuedAt,
        token: { chainId: chain, address: Samples.address("5") },
        account: { chainId: chain, address: Samples.payer },
      })
      const decoded = read(PaymentOption.id(original, sealKey))
      assert.deepStrictEqual(decoded, Result.succeed(original))
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 10_000 }) } },
  )
})

/** The address with some of its letters in the other case, as a wallet may write it. */
const respelled = (address: string, turned: ReadonlyArray<boolean>): string =>
  [...address]
    .map((letter, index) => {
      if (turned[index % Math.max(1, turned.length)] !== true) return letter
      return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
    })
    .join("")

describe("PaymentOption.id, of any family", () => {
  it("distinguishes chains that use the same reference in two namespaces", () => {
    const ids = ["eip155:8453", "harbour:8453"].map((text) => {
      const chainId = Caip.ChainId.make(text)
      const original = option({
        account: { chainId, address: Samples.payer },
        accountText: `${text}:${Samples.payer}`,
        token: { chainId, address: Samples.address("5") },
      })
      const made = PaymentOption.id(original, sealKey)
      assert.deepStrictEqual(read(made), Result.succeed(original))
      return made
    })
    assert.strictEqual(new Set(ids).size, 2)
  })

  it("is shorter than the limit even with the longest names that CAIP allows", () => {
    const longest = PaymentId.PaymentId.make(`pay_${"z".repeat(64)}`)
    const chainId = Caip.ChainId.make(`abcdefgh:${"A".repeat(32)}`)
    const address = Caip.Address.make("aB".repeat(64))
    const most = Samples.quantity(Limits.maxQuantity)
    const original = Harbour.option({
      paymentId: longest,
      flow: "f".repeat(32),
      account: { chainId, address },
      accountText: `${chainId}:${"Ab".repeat(64)}`,
      token: { chainId, address },
      payTo: address,
      quantity: most,
      fixedFee: most,
      permitNonce: most,
    })
    const text = PaymentOption.id(original, sealKey)
    assert.isAtMost(text.length, Limits.optionIdMaxLength)
    assert.deepStrictEqual(PaymentOption.read(text, longest, sealKey), Result.succeed(original))
  })

  const arbitraryOption = {
    account: Caip.Account,
    token: Caip.Address,
    payTo: Caip.Address,
    flow: PaymentOption.Flow,
    turned: Schema.Array(Schema.Boolean),
    length: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 128 })),
    permitNonce: Schema.NullOr(Money.Quantity),
  }

  it.prop(
    "reads back every option with its account's spelling",
    arbitraryOption,
    ({ account: drawn, flow, length, payTo, permitNonce, token, turned }) => {
      // As long as CAIP-10 allows, however short the text is that was drawn.
      const address = Caip.Address.make(
        drawn.address.repeat(Math.ceil(length / drawn.address.length)).slice(0, length),
      )
      const account = { ...drawn, address }
      const original = option({
        account,
        accountText: `${account.chainId}:${respelled(address, turned)}`,
        token: { chainId: account.chainId, address: token },
        payTo,
        flow,
        ...(permitNonce !== null && { permitNonce }),
      })
      const made = PaymentOption.id(original, sealKey)
      assert.isAtMost(made.length, Limits.optionIdMaxLength)
      assert.deepStrictEqual(read(made), Result.succeed(original))
    },
    { arbitrary: { runs: Counts.of({ usual: 500, full: 20_000 }) } },
  )

  it("reads back addresses that look like hex, in every spelling", () => {
    for (const text of ["0x", "0xa", "0xab", "0xAB", "0xabc", "0xzz", "0Xab", "ab", "0", "%20-."]) {
      const address = Caip.Address.make(text)
      for (const turned of [[false], [true], [true, false]]) {
        const { chainId } = Harbour.network
        const original = Harbour.option({
          account: { chainId, address },
          accountText: `${chainId}:${respelled(text, turned)}`,
          token: { chainId, address },
          payTo: address,
        })
        assert.deepStrictEqual(read(PaymentOption.id(original, sealKey)), Result.succeed(original))
      }
    }
  })

  it("is not found if any character was changed, removed or added, or for another payment or key", () => {
    const text = PaymentOption.id(Harbour.option(), sealKey)
    for (let index = 0; index < text.length; index++) {
      const changed = text.charAt(index) === "A" ? "B" : "A"
      assert.isTrue(isNotFound(read(text.slice(0, index) + changed + text.slice(index + 1))))
      assert.isTrue(isNotFound(read(text.slice(0, index))))
    }
    for (const added of ["A", "AAAA", "=", "\n"]) {
      assert.isTrue(isNotFound(read(text + added)))
      assert.isTrue(isNotFound(read(added + text)))
    }
    assert.isTrue(isNotFound(read(text.repeat(20))))
    assert.isTrue(isNotFound(read(text, otherKey)))
    assert.isTrue(isNotFound(PaymentOption.read(text, otherPaymentId, sealKey)))
  })

  it.prop(
    "is not found if it was forged",
    [HostileText.near([PaymentOption.id(Harbour.option(), sealKey)])],
    ([text]) =>
      text === PaymentOption.id(Harbour.option(), sealKey)
        ? Result.isSuccess(read(text))
        : isNotFound(read(text)),
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 50_000 }) } },
  )

  it.prop(
    "is not found if the sealed bytes are not an option",
    [Schema.Uint8Array],
    ([bytes]) => {
      assert.isTrue(isNotFound(read(Seal.seal(sealKey, "option", bytes))))
      const versioned = Uint8Array.of(2, ...bytes)
      assert.isTrue(isNotFound(read(Seal.seal(sealKey, "option", versioned))))
    },
    { arbitrary: { runs: Counts.of({ usual: 500, full: 20_000 }) } },
  )
})

describe("PaymentOption.read", () => {
  it("refuses a text that was sealed for another purpose", () => {
    assert.isTrue(isNotFound(read(Seal.seal(sealKey, "cursor", new Uint8Array(100)))))
  })

  it("returns the error message that wallets look for", () => {
    const refused = read("")
    assert.isTrue(Result.isFailure(refused) && refused.failure.message.includes("Option not found"))
  })

  it("refuses sealed bytes that are not an option: another format, too few or too many", () => {
    const text = PaymentOption.id(option(), sealKey)
    const bytes = Result.getOrThrow(Seal.open(sealKey, "option", text))
    const sealed = (changed: Uint8Array) => Seal.seal(sealKey, "option", changed)
    assert.isTrue(Result.isSuccess(read(sealed(bytes))))
    for (const format of [0, 1, 6, 255]) {
      assert.isTrue(isNotFound(read(sealed(bytes.with(0, format)))))
    }
    assert.deepStrictEqual(Result.getOrThrow(read(sealed(bytes.with(0, 4)))), {
      ...option(),
      hasCode: true,
    })
    // The flow is longer, or has a letter that none has.
    for (const [index, byte] of [
      [1, 3],
      [2, 200],
      [3, 0x45],
    ] as const) {
      assert.isTrue(isNotFound(read(sealed(bytes.with(index, byte)))))
    }
    for (const added of [[1], [0, 0], [2, 0], [255, 0]]) {
      assert.isTrue(isNotFound(read(sealed(Uint8Array.of(...bytes, ...added)))))
    }
    for (let length = 0; length < bytes.length; length++) {
      assert.isTrue(isNotFound(read(sealed(bytes.slice(0, length)))))
    }
    const numbered = option({ flow: "permit", permitNonce: Samples.quantity(3n) })
    const whole = Result.getOrThrow(
      Seal.open(sealKey, "option", PaymentOption.id(numbered, sealKey)),
    )
    assert.isTrue(Result.isSuccess(read(sealed(whole))))
    assert.isTrue(isNotFound(read(sealed(Uint8Array.of(...whole, 0)))))
    assert.isTrue(isNotFound(read(sealed(whole.slice(0, -1)))))
  })

  it("refuses a text that is longer than any id", () => {
    assert.isTrue(isNotFound(read("A".repeat(Limits.optionIdMaxLength + 1))))
  })
})

describe("PaymentOption.requireLive", () => {
  const { expiresAt } = option()

  it("accepts an option until the second before it expires", () => {
    assert.deepStrictEqual(
      PaymentOption.requireLive(option(), expiresAt - 1),
      Result.succeed(option()),
    )
  })

  it("refuses an option from its expiry on", () => {
    for (const at of [expiresAt, expiresAt + 1]) {
      const refused = PaymentOption.requireLive(option(), at)
      assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "OptionExpired")
      assert.isTrue(
        Result.isFailure(refused) && refused.failure.message.includes("ask for the payment's"),
      )
    }
  })
})

describe("PaymentOption.authorizationNonce", () => {
  it("is 32 bytes that follow from the option", () => {
    assert.match(PaymentOption.authorizationNonce(option()), /^0x[0-9a-f]{64}$/u)
    assert.strictEqual(
      PaymentOption.authorizationNonce(option()),
      PaymentOption.authorizationNonce(option()),
    )
  })

  it("differs if anything that the payer authorizes differs", () => {
    const variants = [
      option(),
      option({ paymentId: otherPaymentId }),
      option({ token: Samples.usdcOnBsc.token }),
      option({ token: { ...option().token, chainId: Harbour.chainId("8453") } }),
      option({ token: { ...option().token, address: Samples.address("1") } }),
      option({ account: { ...option().account, address: Samples.address("2") } }),
      option({ payTo: Samples.address("3") }),
      option({ quantity: Samples.quantity(10_000_001n) }),
      option({ issuedAt: nowInS + 1 }),
      option({ expiresAt: nowInS + 301 }),
    ]
    const nonces = new Set(variants.map(PaymentOption.authorizationNonce))
    assert.strictEqual(nonces.size, variants.length)
  })

  it("is the same for every spelling of the account", () => {
    assert.strictEqual(
      PaymentOption.authorizationNonce(option({ accountText: "eip155:8453:0xab" })),
      PaymentOption.authorizationNonce(option()),
    )
  })
})

describe("PaymentOption.flowsOf", () => {
  it("returns one flow, or several in order", () => {
    assert.deepStrictEqual(PaymentOption.flowsOf("pledge"), ["pledge"])
    assert.deepStrictEqual(PaymentOption.flowsOf(["hand", "pledge"]), ["hand", "pledge"])
  })
})

describe("PaymentOption", () => {
  it("lets the authorization expire later than the option, by the grace period", () => {
    assert.strictEqual(PaymentOption.authorizationEndsAt(option()), nowInS + 600)
  })

  it("accepts a transfer from when the option was issued, or earlier by what a chain's clock may be behind", () => {
    const { issuedAt } = option()
    const oldest = issuedAt - Limits.chainClockBehindMaxInS
    assert.isFalse(PaymentOption.isAfter(option(), issuedAt + 1))
    assert.isFalse(PaymentOption.isAfter(option(), oldest))
    assert.isTrue(PaymentOption.isAfter(option(), oldest - 1))
  })
})
