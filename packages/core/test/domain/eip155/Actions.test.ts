import { assert, describe, it } from "@effect/vitest"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Eip712 from "@florin/core/domain/eip155/Eip712"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Money from "@florin/core/domain/ground/Money"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Samples from "../samples.ts"

const { chosen, option, quantity } = Samples

const eip3009 = option()
const permit2 = option({ flow: "permit2", token: Samples.usdtOnEthereum.token })
const plainPermit2 = option({ flow: "permit2", token: Samples.usdcOnBsc.token })
const transfer = option({ flow: "transfer", token: Samples.usdtOnEthereum.token })

const usdtOnPolygon = Samples.assetOf("USDT", 137)
const permit = option({
  flow: "permit",
  token: usdtOnPolygon.token,
  permitNonce: quantity(3n),
})

const fromHex = (hex: string) => new TextDecoder().decode(Buffer.from(hex, "hex"))
const word = (value: bigint | string) =>
  (typeof value === "bigint" ? value.toString(16) : value.slice(2)).padStart(64, "0")

describe("Actions.typedData", () => {
  it("asks for ReceiveWithAuthorization in the token's own domain", () => {
    const data = Actions.typedData(chosen(eip3009))
    assert.deepStrictEqual(data, {
      domain: {
        name: "USD Coin",
        version: "2",
        verifyingContract: Samples.usdcOnBase.token.address,
        chainId: 8453,
      },
      types: {
        ReceiveWithAuthorization: [
          { name: "from", type: "address" },
          { name: "to", type: "address" },
          { name: "value", type: "uint256" },
          { name: "validAfter", type: "uint256" },
          { name: "validBefore", type: "uint256" },
          { name: "nonce", type: "bytes32" },
        ],
      },
      primaryType: "ReceiveWithAuthorization",
      message: {
        from: Samples.payer,
        to: Samples.collector,
        value: "10000000",
        validAfter: "0",
        validBefore: (eip3009.expiresAt + Limits.authorizationGraceInS).toString(),
        nonce: PaymentOption.authorizationNonce(eip3009),
      },
    })
  })

  it("asks for Permit in the token's own domain, with the account's nonce and an end", () => {
    const data = Actions.typedData(chosen(permit))
    assert.deepStrictEqual(data, {
      domain: {
        name: "USDT0",
        version: "1",
        verifyingContract: usdtOnPolygon.token.address,
        salt: `0x${word(137n)}`,
      },
      types: {
        Permit: [
          { name: "owner", type: "address" },
          { name: "spender", type: "address" },
          { name: "value", type: "uint256" },
          { name: "nonce", type: "uint256" },
          { name: "deadline", type: "uint256" },
        ],
      },
      primaryType: "Permit",
      message: {
        owner: Samples.payer,
        spender: Samples.collector,
        value: "10000000",
        nonce: "3",
        deadline: (permit.expiresAt + Limits.authorizationGraceInS).toString(),
      },
    })
    assert.strictEqual(Actions.stepCount(chosen(permit), Money.zero), 1)
    assert.deepStrictEqual(
      Actions.offeredActions(chosen(permit)).map(({ _tag }) => _tag),
      ["WalletRpc"],
    )
    assert.deepStrictEqual(
      [...Actions.executable(chosen(permit), Money.zero)],
      [...Actions.offeredActions(chosen(permit))],
    )
  })

  it("asks for PermitTransferFrom in Permit2's domain, which has no version", () => {
    assert.deepStrictEqual(Actions.typedData(chosen(permit2)), {
      domain: {
        name: "Permit2",
        chainId: 1,
        verifyingContract: Eip155.permit2Address,
      },
      types: {
        PermitTransferFrom: [
          { name: "permitted", type: "TokenPermissions" },
          { name: "spender", type: "address" },
          { name: "nonce", type: "uint256" },
          { name: "deadline", type: "uint256" },
        ],
        TokenPermissions: [
          { name: "token", type: "address" },
          { name: "amount", type: "uint256" },
        ],
      },
      primaryType: "PermitTransferFrom",
      message: {
        permitted: { token: permit2.token.address, amount: "10000000" },
        spender: Samples.collector,
        nonce: BigInt(PaymentOption.authorizationNonce(permit2)).toString(),
        deadline: (permit2.expiresAt + Limits.authorizationGraceInS).toString(),
      },
    })
  })

  it("uses the type strings that the contracts hash", () => {
    // keccak256 of the type strings, as EIP-3009 and Permit2 publish them.
    const typeHash = (data: Eip712.TypedData | undefined) => {
      const { primaryType = "", types = {} } = data ?? {}
      const others = Object.keys(types).filter((name) => name !== primaryType)
      const text = [primaryType, ...others].map((name) => {
        const fields = types[name]?.map((field) => `${field.type} ${field.name}`) ?? []
        return `${name}(${fields.join(",")})`
      })
      return `0x${bytesToHex(keccak_256(utf8ToBytes(text.join(""))))}`
    }
    assert.strictEqual(
      typeHash(Actions.typedData(chosen(eip3009))),
      "0xd099cc98ef71107a616c4f0f941f04c322d8e254fe26b3c6668db87aae413de8",
    )
    assert.strictEqual(
      typeHash(Actions.typedData(chosen(permit2))),
      "0x939c21a48a8dbe3a9a2404a1d46691e4d39f6583d6ec6b35714604c986d80106",
    )
  })

  it("is undefined for a transfer, and for a token that cannot be signed for", () => {
    assert.isUndefined(Actions.typedData(chosen(transfer)))
    assert.isUndefined(Actions.typedData(chosen(option({ token: Samples.usdcOnBsc.token }))))
  })
})

describe("Actions.offeredActions", () => {
  it("returns the signing step of an EIP-3009 option", () => {
    const data = Actions.typedData(chosen(eip3009))
    assert.deepStrictEqual(Actions.offeredActions(chosen(eip3009)), [
      {
        _tag: "WalletRpc",
        chainId: eip3009.token.chainId,
        method: "eth_signTypedData_v4",
        params: [Samples.payer, data === undefined ? "" : Eip712.toJson(data)],
      },
    ])
  })

  it("returns a build action for a Permit2 option, with the final signing step", () => {
    const [action, ...more] = Actions.offeredActions(chosen(permit2))
    assert.deepStrictEqual(more, [])
    assert.strictEqual(action?._tag, "Build")
    const data = Actions.typedData(chosen(permit2))
    assert.deepStrictEqual(JSON.parse(action?._tag === "Build" ? fromHex(action.data) : ""), {
      chain_id: "eip155:1",
      method: "eth_signTypedData_v4",
      params: [Samples.payer, data === undefined ? "" : Eip712.toJson(data)],
    })
  })

  it("returns the transfer and the statement for a transfer option", () => {
    const [send, sign, ...more] = Actions.offeredActions(chosen(transfer))
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual(send, {
      _tag: "WalletRpc",
      chainId: transfer.token.chainId,
      method: "eth_sendTransaction",
      params: [
        JSON.stringify({
          from: Samples.payer,
          to: transfer.token.address,
          data: `0xa9059cbb${word(Samples.collector)}${word(10_000_000n)}`,
          value: "0x0",
        }),
      ],
    })
    assert.strictEqual(sign?._tag === "WalletRpc" ? sign.method : "", "personal_sign")
    const [message = "", signer] = sign?._tag === "WalletRpc" ? sign.params : []
    assert.strictEqual(fromHex(message.slice(2)), Actions.statement(chosen(transfer)))
    assert.strictEqual(signer, Samples.payer)
  })
})

describe("Actions.statement", () => {
  it("contains the payment, the amount, the recipient and the option", () => {
    assert.strictEqual(
      Actions.statement(chosen(transfer)),
      [
        "I pay this payment with the transfer I just sent.",
        `Payment: ${transfer.paymentId}`,
        "Amount: 10 USDT",
        `To: ${Eip155.formatAddress(Samples.collector)}`,
        `Option: ${PaymentOption.authorizationNonce(transfer)}`,
      ].join("\n"),
    )
  })
})

describe("Actions.executable", () => {
  const approve = (value: bigint) => `0x095ea7b3${word(Eip155.permit2Address)}${word(value)}`
  const steps = (of: PaymentOption.PaymentOption, allowance: bigint) =>
    Actions.executable(chosen(of), quantity(allowance)).map(({ method, params }) =>
      method === "eth_sendTransaction" ? JSON.parse(params[0] ?? "").data : method,
    )
  const enough = 10_000_000n

  it("only requests a signature if the allowance is high enough", () => {
    for (const allowance of [enough, enough + 1n, Limits.maxQuantity]) {
      assert.deepStrictEqual(steps(permit2, allowance), ["eth_signTypedData_v4"])
      assert.strictEqual(Actions.stepCount(chosen(permit2), quantity(allowance)), 1)
    }
  })

  it("requests an approval of exactly the amount if the allowance is too low", () => {
    assert.deepStrictEqual(steps(plainPermit2, 0n), [approve(enough), "eth_signTypedData_v4"])
    assert.deepStrictEqual(steps(plainPermit2, enough - 1n), [
      approve(enough),
      "eth_signTypedData_v4",
    ])
    assert.strictEqual(Actions.stepCount(chosen(plainPermit2), quantity(enough - 1n)), 2)
  })

  it("first sets the allowance to 0 if the token refuses to raise it", () => {
    assert.deepStrictEqual(steps(permit2, 1n), [
      approve(0n),
      approve(enough),
      "eth_signTypedData_v4",
    ])
    assert.strictEqual(Actions.stepCount(chosen(permit2), quantity(1n)), 3)
    assert.deepStrictEqual(steps(permit2, 0n), [approve(enough), "eth_signTypedData_v4"])
  })

  it("needs no allowance if the token accepts authorizations itself", () => {
    assert.deepStrictEqual(steps(eip3009, 0n), ["eth_signTypedData_v4"])
    assert.strictEqual(Actions.stepCount(chosen(eip3009), Money.zero), 1)
  })

  it("requests the transfer and the statement for a transfer option", () => {
    assert.deepStrictEqual(
      Actions.executable(chosen(transfer), Money.zero),
      Actions.offeredActions(chosen(transfer)),
    )
    assert.strictEqual(Actions.stepCount(chosen(transfer), quantity(enough)), 2)
  })

  it("counts its steps; only options of one step cost the payer no gas", () => {
    for (const each of [eip3009, permit2, plainPermit2, transfer]) {
      for (const allowance of [0n, 1n, enough - 1n, enough].map(quantity)) {
        const actions = Actions.executable(chosen(each), allowance)
        assert.strictEqual(Actions.stepCount(chosen(each), allowance), actions.length)
        // Ranking relies on it: one step is gas-free, more are not.
        assert.strictEqual(
          actions.length > 1,
          actions.some((action) => action.method === "eth_sendTransaction"),
        )
      }
    }
  })
})
