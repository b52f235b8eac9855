/**
 * One way for one account to pay a payment: which token, how much, to whom, until when.
 *
 * An option is never stored. Its id carries the whole of it, sealed, so any process honours an id that another issued
 * and nobody can forge one.
 *
 * @module
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Caip from "./Caip.ts"
import * as Limits from "./Limits.ts"
import * as Money from "./Money.ts"
import * as Packing from "./Packing.ts"
import * as PaymentId from "./PaymentId.ts"
import * as Remembered from "./Remembered.ts"
import * as Seal from "./Seal.ts"

/**
 * How the money moves. `eip3009` and `permit2`: the payer signs, we send. `transfer`: the payer's wallet sends it, and
 * signs a statement that it pays this payment. `permit`: the payer signs an allowance for the collecting account
 * (EIP-2612), we send that and then take the money.
 *
 * Ids hold the place of a flow in this list: add new ones at the end.
 */
export const flows = ["eip3009", "permit2", "transfer", "permit"] as const
export type Flow = (typeof flows)[number]
export const Flow = Schema.Literals(flows)

/** The ways in which a token is taken, each once, in the order of preference. */
export type Flows = readonly [Flow, ...ReadonlyArray<Flow>]

/** One way, or several. */
export const flowsOf = (chosen: Flow | Flows): Flows =>
  typeof chosen === "string" ? [chosen] : chosen

export interface PaymentOption extends Schema.Schema.Type<typeof PaymentOption> {}
export const PaymentOption = Schema.Struct({
  paymentId: PaymentId.PaymentId,
  account: Caip.Account,
  /** The account as the wallet wrote it, which is how it comes back. */
  accountText: Schema.String,
  token: Caip.Token,
  flow: Flow,
  quantity: Money.Quantity,
  /** The fixed part of the fee in this token, at the rate the option was priced with. */
  fixedFee: Money.Quantity,
  /** The collecting account that receives the money. */
  payTo: Caip.Address,
  /** The account's nonce in the token, which a `permit` is signed with; absent for other flows. */
  permitNonce: Schema.optionalKey(Money.Quantity),
  /** Unix seconds. */
  issuedAt: Schema.Int,
  /** Unix seconds; from then on the option is refused. */
  expiresAt: Schema.Int,
})

/** Unknown, forged, or issued for another payment: the three are not told apart. */
export class OptionNotFound extends Schema.TaggedError<OptionNotFound>()("OptionNotFound", {
  message: Schema.String,
}) {}

/** Authentic, but its time is over. */
export class OptionExpired extends Schema.TaggedError<OptionExpired>()("OptionExpired", {
  message: Schema.String,
}) {}

export type OptionId = string

const version = 1

/** One length byte, then that many bytes, most significant first. */
const quantityBytes = (value: Money.Quantity): Uint8Array => {
  const hex = value.toString(16)
  const bytes = hexToBytes(hex.length % 2 === 0 ? hex : `0${hex}`)
  return concatBytes(Packing.number(bytes.length, 1), bytes)
}

/** Which of the 40 hex digits the wallet wrote in upper case: enough to give the account back as it came. */
const caseBits = (accountText: string): Uint8Array => {
  const digits = accountText.slice(-40)
  const bytes = new Uint8Array(5)
  for (let index = 0; index < 40; index++) {
    const digit = digits.charAt(index)
    if (digit >= "A" && digit <= "F") {
      bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (0x80 >> (index & 7))
    }
  }
  return bytes
}

const accountText = (account: Caip.Account, bits: Uint8Array): string => {
  let text = `${Caip.formatChain(account.chainId)}:0x`
  for (let index = 0; index < 40; index++) {
    const digit = account.address.charAt(index + 2)
    const upper = ((bits[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0
    text += upper ? digit.toUpperCase() : digit
  }
  return text
}

/** The id of an option: everything it holds, sealed. */
export const id = (option: PaymentOption, key: Seal.SealKeys): OptionId => {
  const payment = utf8ToBytes(option.paymentId)
  return Seal.seal(
    key,
    "option",
    concatBytes(
      Uint8Array.of(version, flows.indexOf(option.flow), payment.length),
      payment,
      Packing.number(option.account.chainId, 7),
      hexToBytes(option.account.address.slice(2)),
      caseBits(option.accountText),
      hexToBytes(option.token.address.slice(2)),
      hexToBytes(option.payTo.slice(2)),
      Packing.number(option.issuedAt, 5),
      Packing.number(option.expiresAt, 5),
      quantityBytes(option.quantity),
      quantityBytes(option.fixedFee),
      ...(option.permitNonce === undefined ? [] : [quantityBytes(option.permitNonce)]),
    ),
  )
}

const decode = Schema.decodeUnknownResult(Schema.toType(PaymentOption))

/** The refusal of an id that names no option of ours. */
export const notFound = () =>
  new OptionNotFound({ message: "Option not found: ask for the payment's options again" })

const fromBytes = (bytes: Uint8Array): Result.Result<PaymentOption, OptionNotFound> => {
  const read = Packing.reader(bytes)
  const [format, flow, idLength] = [read.int(1), flows[read.int(1)], read.int(1)]
  const paymentId = String.fromCharCode(...read.take(idLength))
  const chainId = read.int(7)
  const account = `0x${bytesToHex(read.take(20))}`
  const bits = read.take(5)
  const token = `0x${bytesToHex(read.take(20))}`
  const payTo = `0x${bytesToHex(read.take(20))}`
  const [issuedAt, expiresAt] = [read.int(5), read.int(5)]
  const [quantity, fixedFee] = [read.quantity(), read.quantity()]
  const permitNonce = flow === "permit" ? read.quantity() : undefined
  if (format !== version || !read.ended()) return Result.fail(notFound())
  const decoded = decode({
    paymentId,
    account: { chainId, address: account },
    accountText: "",
    token: { chainId, address: token },
    flow,
    quantity,
    fixedFee,
    payTo,
    issuedAt,
    expiresAt,
    ...(permitNonce !== undefined && { permitNonce }),
  })
  return Result.mapBoth(decoded, {
    onFailure: notFound,
    onSuccess: (option) => ({ ...option, accountText: accountText(option.account, bits) }),
  })
}

/** Reads an authentic option id of a payment, expired or not. One of another payment is not found, like a forged one. */
export const read = (
  text: string,
  paymentId: PaymentId.PaymentId,
  key: Seal.SealKeys,
): Result.Result<PaymentOption, OptionNotFound> => {
  if (text.length > Limits.optionIdMaxLength) return Result.fail(notFound())
  const bytes = Seal.open(key, "option", text)
  if (Result.isFailure(bytes)) return Result.fail(notFound())
  return Result.flatMap(fromBytes(bytes.success), (option) =>
    option.paymentId === paymentId ? Result.succeed(option) : Result.fail(notFound()),
  )
}

/** Refuses an option whose time is over. */
export const requireLive = (
  option: PaymentOption,
  nowInS: number,
): Result.Result<PaymentOption, OptionExpired> =>
  isExpired(option, nowInS)
    ? Result.fail(
        new OptionExpired({
          message: "the option has expired: ask for the payment's options again",
        }),
      )
    : Result.succeed(option)

export const isExpired = (option: PaymentOption, nowInS: number): boolean =>
  nowInS >= option.expiresAt

/** When the payer's signature stops being usable, in unix seconds. */
export const authorizationEndsAt = (option: PaymentOption): number =>
  option.expiresAt + Limits.authorizationGraceInS

/**
 * The nonce that the payer's authorization carries, as 32 bytes of hex. It follows from payment and option, so a
 * signature fits one payment only and the event on chain names it.
 */
export const authorizationNonce = Remembered.by(
  (option: PaymentOption) =>
    `0x${bytesToHex(
      keccak_256(
        utf8ToBytes(
          [
            "florin/authorization/1",
            option.paymentId,
            option.token.chainId,
            option.account.address,
            option.token.address,
            option.payTo,
            option.quantity,
            option.issuedAt,
            option.expiresAt,
          ].join("\n"),
        ),
      ),
    )}`,
)

/** Whether something was mined before the option was there, so that it cannot have been sent for it. */
export const isAfter = (
  { issuedAt }: Pick<PaymentOption, "issuedAt">,
  minedAtInS: number,
): boolean => minedAtInS < issuedAt - Limits.chainClockBehindMaxInS
