/**
 * The tokens of the asset table, and what tokens with signatures have in common.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Effect from "effect/Effect"
import type { Hex } from "viem"
import { decodeFunctionResult, encodeFunctionData, keccak256 } from "viem/utils"
import * as Contracts from "../src/Contracts.ts"
import * as Scene from "./scene.ts"

const { custom, handIn, sign, token } = Scene

for (const chainId of new Set(BuiltIn.catalog.assets.map((each) => each.token.chainId))) {
  Scene.onChain(Eip155.numberOf(chainId))(`the assets of chain ${chainId}`, (it) => {
    for (const asset of Catalog.assetsOf(BuiltIn.catalog, chainId)) {
      const at = asset.token.address
      const { domain, separatorPin } = Details.of(asset)

      it.effect(`${asset.symbol} has the name, the decimals and the separator of the table`, () =>
        Effect.gen(function* () {
          const { call, payer } = yield* Scene.begin
          const read = (
            functionName: "name" | "decimals" | "DOMAIN_SEPARATOR" | "getDomainSeperator",
          ) =>
            call(payer.address, at, encodeFunctionData({ abi: token, functionName })).pipe(
              Effect.map((data) => decodeFunctionResult({ abi: token, functionName, data })),
            )
          assert.strictEqual(yield* read("name"), domain?.name ?? asset.name)
          assert.strictEqual(yield* read("decimals"), asset.decimals)
          const getters = ["DOMAIN_SEPARATOR", "getDomainSeperator"] as const
          const separators = yield* Effect.forEach(getters, (each) => Effect.option(read(each)))
          assert.deepStrictEqual(
            separators.flatMap((each) => (each._tag === "Some" ? [each.value] : [])),
            separatorPin === undefined ? [] : [separatorPin],
          )
        }),
      )

      it.effect(`${asset.symbol} has authorizations only if its flow is eip3009`, () =>
        Effect.gen(function* () {
          const { isUsed } = yield* Scene.withAsset(asset.symbol)
          const answer = yield* Effect.option(isUsed(keccak256("0x")))
          assert.strictEqual(answer._tag, asset.flow === "eip3009" ? "Some" : "None")
        }),
      )
    }
  })
}

/** What tokens with EIP-3009 and EIP-2612 have in common, and how each says no. */
const signedTokens = [
  {
    chainId: 8453,
    symbol: "USDC",
    wrongSigner: "FiatTokenV2: invalid signature",
    early: "FiatTokenV2: authorization is not yet valid",
    late: "FiatTokenV2: authorization is expired",
    notPayee: "FiatTokenV2: caller must be the payee",
    permitLate: "FiatTokenV2: permit is expired",
  },
  {
    chainId: 1,
    symbol: "PYUSD",
    wrongSigner: custom("InvalidSignature()"),
    early: custom("AuthorizationInvalid()"),
    late: custom("AuthorizationExpired()"),
    notPayee: custom("CallerMustBePayee()"),
    permitLate: custom("PermitExpired()"),
  },
  {
    chainId: 42161,
    symbol: "USDT0",
    wrongSigner: "EIP3009: invalid signature",
    early: "EIP3009: authorization is not yet valid",
    late: "EIP3009: authorization is expired",
    notPayee: "EIP3009: caller must be the payee",
    permitLate: "ERC20Permit: expired deadline",
  },
]

for (const { chainId, symbol, ...refusals } of signedTokens) {
  Scene.onChain(chainId)(`signatures for ${symbol} on ${chainId}`, (it) => {
    for (const form of ["parts", "bytes"] as const) {
      const as = form === "parts" ? "as v, r and s" : "as bytes"

      it.effect(`move tokens to any account if any account submits them, ${as}`, () =>
        Effect.gen(function* () {
          const { asset, authorization, sends, balance, payer, payee, stranger } =
            yield* Scene.withAsset(symbol)
          const message = authorization()
          const signature = yield* sign(payer, asset, "Transfer", message)
          const sent = yield* sends(stranger, handIn("Transfer", message, signature, form))
          assert.deepStrictEqual(sent.events, ["AuthorizationUsed", "Transfer"])
          assert.strictEqual(yield* balance(payee), 5n)
          assert.strictEqual(yield* balance(payer), 95n)
        }),
      )

      it.effect(`can be for the recipient alone to submit, ${as}`, () =>
        Effect.gen(function* () {
          const { asset, authorization, sends, refuses, balance, payer, payee, stranger } =
            yield* Scene.withAsset(symbol)
          const message = authorization()
          const signature = yield* sign(payer, asset, "Receive", message)
          const data = handIn("Receive", message, signature, form)
          assert.strictEqual(yield* refuses(stranger, data), refusals.notPayee)
          assert.deepStrictEqual((yield* sends(payee, data)).events, [
            "AuthorizationUsed",
            "Transfer",
          ])
          assert.strictEqual(yield* balance(payee), 5n)
        }),
      )

      it.effect(`cancel an authorization for good, ${as}`, () =>
        Effect.gen(function* () {
          const { asset, authorization, sends, refuses, isUsed, balance, payer, payee, stranger } =
            yield* Scene.withAsset(symbol)
          const message = authorization()
          const forged = yield* Scene.signCancel(stranger, asset, message)
          const wrong = Scene.cancel(payer, message.nonce, forged, form)
          assert.strictEqual(yield* refuses(stranger, wrong), refusals.wrongSigner)
          const cancelled = yield* sends(
            stranger,
            Scene.cancel(
              payer,
              message.nonce,
              yield* Scene.signCancel(payer, asset, message),
              form,
            ),
          )
          assert.deepStrictEqual(cancelled.events, ["AuthorizationCanceled"])
          assert.isTrue(yield* isUsed(message.nonce))
          const signature = yield* sign(payer, asset, "Receive", message)
          yield* sends(payee, handIn("Receive", message, signature))
          assert.strictEqual(yield* balance(payee), 0n)
        }),
      )

      it.effect(`allow spending once and in time, ${as}`, () =>
        Effect.gen(function* () {
          const { asset, chain, sends, refuses, allowance, transferFrom, payer, stranger } =
            yield* Scene.withAsset(symbol)
          const permit = (deadline: bigint) =>
            Scene.permit(payer, asset, { spender: stranger.address, nonce: 0n, deadline }, form)
          const now = BigInt(yield* chain.nowInS)
          const late = yield* permit(now - 10n)
          assert.strictEqual(yield* refuses(stranger, late), refusals.permitLate)
          const good = yield* permit(now + 10_000n)
          assert.deepStrictEqual((yield* sends(stranger, good)).events, ["Approval"])
          assert.strictEqual(yield* allowance, 7n)
          assert.strictEqual(yield* refuses(stranger, good), refusals.wrongSigner)
          assert.isTrue((yield* sends(stranger, transferFrom(7n))).succeeded)
          assert.strictEqual(yield* allowance, 0n)
        }),
      )
    }

    it.effect("are refused of another account, of something else, and in another form", () =>
      Effect.gen(function* () {
        const { asset, authorization, refuses, isUsed, payer, payee, stranger } =
          yield* Scene.withAsset(symbol)
        const message = authorization()
        const signature = yield* sign(payer, asset, "Receive", message)
        const refusalOf = (wrong: Hex) => refuses(payee, handIn("Receive", message, wrong))
        const { wrongSigner } = refusals
        const ofAnother = yield* sign(stranger, asset, "Receive", message)
        assert.strictEqual(yield* refusalOf(ofAnother), wrongSigner)
        const ofAnotherKind = yield* sign(payer, asset, "Transfer", message)
        assert.strictEqual(yield* refusalOf(ofAnotherKind), wrongSigner)
        const more = handIn("Receive", { ...message, value: 6n }, signature)
        assert.strictEqual(yield* refuses(payee, more), wrongSigner)
        const spellings: ReadonlyArray<readonly [Hex, string]> = [
          [Scene.flipped(signature), "ECRecover: invalid signature 's' value"],
          [`0x${signature.slice(2, 130)}1d`, "ECRecover: invalid signature 'v' value"],
          [`0x${signature.slice(2)}00`, "ECRecover: invalid signature length"],
          [`0x${"00".repeat(64)}1b`, "ECRecover: invalid signature"],
        ]
        for (const [spelling, refusal] of spellings) {
          assert.strictEqual(yield* refusalOf(spelling), refusal)
        }
        assert.isFalse(yield* isUsed(message.nonce))
      }),
    )

    it.effect("are valid strictly between two times", () =>
      Effect.gen(function* () {
        const { asset, at, authorization, chain, balance, submit, payer, payee } =
          yield* Scene.withAsset(symbol)
        const then = BigInt(yield* chain.nowInS) + 100n
        const minedAt = Effect.fnUntraced(function* (
          time: bigint,
          ...limits: ReadonlyArray<{ readonly validAfter?: bigint; readonly validBefore?: bigint }>
        ) {
          for (const [index, limit] of limits.entries()) {
            const message = authorization({ ...limit, nonce: keccak256(`0x${time}${index}`) })
            const signature = yield* sign(payer, asset, "Receive", message)
            yield* submit(payee.address, at, handIn("Receive", message, signature))
          }
          yield* chain.request("evm_setNextBlockTimestamp", [Number(time)])
          yield* chain.mine(1)
          return yield* balance(payee)
        })
        assert.strictEqual(yield* minedAt(then, { validAfter: then }, { validBefore: then }), 0n)
        assert.strictEqual(yield* minedAt(then + 1n, { validAfter: then }), 5n)
        assert.strictEqual(yield* minedAt(then + 2n, { validBefore: then + 3n }), 10n)
      }),
    )

    it.effect("are reported as too early or too late", () =>
      Effect.gen(function* () {
        const { asset, authorization, chain, refuses, payer, payee } =
          yield* Scene.withAsset(symbol)
        const now = BigInt(yield* chain.nowInS)
        for (const [times, refusal] of [
          [{ validAfter: now + 10_000n }, refusals.early],
          [{ validBefore: now - 100n }, refusals.late],
        ] as const) {
          const message = authorization(times)
          const signature = yield* sign(payer, asset, "Receive", message)
          const data = handIn("Receive", message, signature)
          assert.strictEqual(yield* refuses(payee, data), refusal)
        }
      }),
    )

    it.effect("are validated by the account itself once it has code", () =>
      Effect.gen(function* () {
        const { asset, authorization, chain, send, sends, refuses, balance, payer, payee } =
          yield* Scene.withAsset(symbol)
        const message = authorization()
        const signature = yield* sign(payer, asset, "Receive", message)
        const data = handIn("Receive", message, signature)
        const delegate = yield* chain.deploy("Delegate")
        yield* chain.setCode(Scene.addressOf(payer), Contracts.delegation(delegate))
        yield* send(payee.address, payer.address, Scene.refusePlain(true))
        assert.strictEqual(yield* refuses(payee, data), refusals.wrongSigner)
        yield* send(payee.address, payer.address, Scene.refusePlain(false))
        assert.isTrue((yield* sends(payee, data)).succeeded)
        assert.strictEqual(yield* balance(payee), 5n)
      }),
    )

    it.effect("of a smart account are valid if its current owner signed", () =>
      Effect.gen(function* () {
        const { asset, at, authorization, chain, sends, refuses, balance, payer, payee, stranger } =
          yield* Scene.withAsset(symbol)
        const account = yield* chain.deploy("SmartAccount", Scene.addressOf(payer))
        yield* chain.fund(at, account, 100n)
        const message = authorization({ from: Scene.hexOf(account) })
        const ofOwner = handIn("Receive", message, yield* sign(payer, asset, "Receive", message))
        const ofStranger = handIn(
          "Receive",
          message,
          yield* sign(stranger, asset, "Receive", message),
        )
        assert.strictEqual(yield* refuses(payee, ofStranger), refusals.wrongSigner)
        assert.isTrue((yield* sends(payee, ofOwner)).succeeded)
        assert.strictEqual(yield* balance(payee), 5n)
      }),
    )
  })
}
