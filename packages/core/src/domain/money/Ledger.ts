/**
 * The double-entry ledger: where every unit of other people's money is, and whose it is.
 *
 * A transaction is a list of postings, and a posting adds `delta` to an account, counted in the token's smallest unit.
 * Debits are positive, credits negative, and per token the deltas of a transaction sum to zero:
 *
 * - What we have is positive: `Collecting` (tokens on a relayer account), `Transit` (tokens on their way between two of
 *   them), `Debt` (what a merchant owes us), `Loss`.
 * - What we owe or own is negative: `Owed` (to a merchant), `Kept` (of what merchants were owed, for refunds that wait),
 *   `Suspense` (to the sender of late money), `Fees` (our revenue), `Operator` (what the operator put in). `Owed`, `Kept`
 *   and `Suspense` name our account that holds the money, so what is owed from an account is reserved on that
 *   account.
 * - `Payer` and `Settled` stand for the outside. Tokens that come from a payer credit it, and what the payer gets for
 *   them debits it in the same transaction; the same, mirrored, when tokens go out. So their balance is always zero,
 *   and their postings show who paid and who was paid.
 *
 * Money in is written when its transfer is final. Money out is written when we commit to it, which is when its signed
 * transaction is stored, so that nothing can be promised twice; it is reversed if that transfer proves impossible. With
 * nothing on its way, a collecting account holds exactly what the chain says it holds.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Caip from "../chain/Caip.ts"
import * as Malformed from "../ground/Malformed.ts"
import * as MerchantId from "../ground/MerchantId.ts"
import type * as Money from "../ground/Money.ts"
import * as PartnerId from "../ground/PartnerId.ts"
import type * as Fees from "./Fees.ts"

export type Account = typeof Account.Type
export const Account = Schema.TaggedUnion({
  /** Outside: the account that paid, or gets its money back. */
  Payer: { account: Caip.Account },
  /** One of our relayer accounts that holds tokens. */
  Collecting: { chainId: Caip.ChainId, address: Caip.Address },
  /** What a merchant is still to be paid from one of our accounts. */
  Owed: { merchantId: MerchantId.MerchantId, address: Caip.Address },
  /**
   * What a merchant was owed from one of our accounts, and is kept there for waiting refunds of money that it already
   * had.
   */
  Kept: { merchantId: MerchantId.MerchantId, address: Caip.Address },
  /** Our revenue, by the partner through which it came. */
  Fees: { partnerId: PartnerId.PartnerId },
  /** Outside: the account to which a merchant was paid. */
  Settled: { merchantId: MerchantId.MerchantId, destination: Caip.Account },
  /** Late money on one of our accounts: it arrived, and no payment takes it. */
  Suspense: { address: Caip.Address },
  /** What a merchant owes after a refund of money it already had. */
  Debt: { merchantId: MerchantId.MerchantId },
  /** What a reorganisation deeper than the chain's policy took from us. */
  Loss: {},
  /** The float that the operator put into the collecting accounts. */
  Operator: {},
  /** Money that left one of our accounts for another and is not final there: neither may spend it. */
  Transit: {},
})

/** Adds `delta` to an account: a debit when positive, a credit when negative. */
export interface Posting extends Schema.Schema.Type<typeof Posting> {}
export const Posting = Schema.Struct({ account: Account, token: Caip.Token, delta: Schema.BigInt })

/** The purpose of a transaction. */
export type Kind = typeof Kind.Type
export const Kind = Schema.Literals([
  "collect",
  "settle",
  "net",
  "keep",
  "refund",
  "suspend",
  "return",
  "lose",
  "fund",
  "withdraw",
  "move",
  "reverse",
])

/** Postings that were checked by {@link transaction}: they belong together or not at all. */
export interface Transaction extends Schema.Schema.Type<typeof Transaction> {}
export const Transaction = Schema.Struct({ kind: Kind, postings: Schema.Array(Posting) })

/**
 * Canonical text of an account, for keys and columns.
 *
 * @example
 * Ledger.accountKey({ _tag: "Owed", merchantId, address }) // "owed:mrch_2f8b:0x2b3…"
 */
export const accountKey: (account: Account) => string = Account.match({
  Payer: ({ account: { address, chainId } }) => `payer:${chainId}:${address}`,
  Collecting: ({ address, chainId }) => `collecting:${chainId}:${address}`,
  Owed: ({ address, merchantId }) => `owed:${merchantId}:${address}`,
  Kept: ({ address, merchantId }) => `kept:${merchantId}:${address}`,
  Fees: ({ partnerId }) => `fees:${partnerId}`,
  Settled: ({ destination: { address, chainId }, merchantId }) =>
    `settled:${merchantId}:${chainId}:${address}`,
  Suspense: ({ address }) => `suspense:${address}`,
  Debt: ({ merchantId }) => `debt:${merchantId}`,
  Loss: () => "loss",
  Operator: () => "operator",
  Transit: () => "transit",
})

/**
 * The side on which an account's balance lies. `debit` and `credit` accounts never cross zero; `outside` accounts
 * never leave it; a `free` account may lie on either side.
 */
export type Side = "debit" | "credit" | "outside" | "free"

export const side: { readonly [Tag in Account["_tag"]]: Side } = {
  Payer: "outside",
  Collecting: "debit",
  Owed: "credit",
  Kept: "credit",
  // A fee may be returned after it was withdrawn.
  Fees: "free",
  Settled: "outside",
  Suspense: "credit",
  Debt: "debit",
  Loss: "debit",
  // The operator may take out more than it put in, when it takes the fees.
  Operator: "free",
  Transit: "debit",
}

const allows: { readonly [S in Side]: (balance: bigint) => boolean } = {
  debit: (balance) => balance >= 0n,
  credit: (balance) => balance <= 0n,
  outside: (balance) => balance === 0n,
  free: () => true,
}

/** Whether an account of this kind may have this balance. */
export const isSound = (account: Account, balance: bigint): boolean =>
  allows[side[account._tag]](balance)

/** The chain of an account; undefined if it can hold tokens of every chain. */
const chainOf = (account: Account): Caip.ChainId | undefined => {
  if (account._tag === "Payer") return account.account.chainId
  if (account._tag === "Settled") return account.destination.chainId
  return account._tag === "Collecting" ? account.chainId : undefined
}

/**
 * Checks postings and makes them one transaction. The movements below are balanced by construction; an adapter checks
 * what it writes nevertheless.
 */
export const transaction = (
  kind: Kind,
  postings: ReadonlyArray<Posting>,
): Result.Result<Transaction, Malformed.Malformed> => {
  if (postings.length === 0) return Malformed.fail("a transaction has postings: nothing moves")
  const sums = new Map<string, bigint>()
  for (const { account, token, delta } of postings) {
    if (delta === 0n) return Malformed.fail("a posting moves at least one unit: leave it out")
    const chain = chainOf(account)
    if (chain !== undefined && chain !== token.chainId) {
      return Malformed.fail(`an account on chain ${chain} holds no tokens of ${token.chainId}`)
    }
    const key = Caip.tokenKey(token)
    sums.set(key, (sums.get(key) ?? 0n) + delta)
  }
  for (const [key, sum] of sums) {
    if (sum !== 0n) return Malformed.fail(`the postings of token ${key} do not sum to zero`)
  }
  return Result.succeed({ kind, postings })
}

/** Postings of one token, without those that move nothing. */
const movement = (
  kind: Kind,
  token: Caip.Token,
  lines: ReadonlyArray<readonly [account: Account, delta: bigint]>,
): Transaction => ({
  kind,
  postings: lines
    .filter(([, delta]) => delta !== 0n)
    .map(([account, delta]) => ({ account, token, delta })),
})

/** The same, if one account gives what another one gets. */
const between = (
  kind: Kind,
  token: Caip.Token,
  [account, other]: readonly [account: Account, other: Account],
  delta: bigint,
): Transaction =>
  movement(kind, token, [
    [account, delta],
    [other, -delta],
  ])

/** One of our accounts that collects tokens. */
interface Place {
  readonly collecting: Caip.Address
}

/** Tokens on our account that collects them, which is on the token's own chain. */
export interface Held extends Place {
  readonly token: Caip.Token
}

/** What is kept for a refund on one of our accounts. */
export interface Kept extends Place {
  readonly quantity: Money.Quantity
}

/** So much of a token, on one of our accounts. */
interface Moved extends Held, Kept {}

/** A payment as it was paid, and how it was split. */
export interface Paid extends Held {
  readonly payer: Caip.Account
  readonly merchantId: MerchantId.MerchantId
  readonly partnerId: PartnerId.PartnerId
  readonly charge: Fees.Charge
}

const collectingOf = (held: Held): Account => ({
  _tag: "Collecting",
  chainId: held.token.chainId,
  address: held.collecting,
})
const payer = (account: Caip.Account): Account => ({ _tag: "Payer", account })
export const owedFrom = (
  merchantId: MerchantId.MerchantId,
  { collecting: address }: Place,
): Account => ({ _tag: "Owed", merchantId, address })
const keptOn = (merchantId: MerchantId.MerchantId, { collecting: address }: Place): Account => ({
  _tag: "Kept",
  merchantId,
  address,
})
export const debt = (merchantId: MerchantId.MerchantId): Account => ({ _tag: "Debt", merchantId })
const fees = (partnerId: PartnerId.PartnerId): Account => ({ _tag: "Fees", partnerId })
const suspense = ({ collecting: address }: Place): Account => ({ _tag: "Suspense", address })
const loss: Account = { _tag: "Loss" }
export const operator: Account = { _tag: "Operator" }
const transit: Account = { _tag: "Transit" }

/** The payer's transfer reached the collecting account: we owe the merchant the net, and the fee is ours. */
export const collection = (input: Paid): Transaction => {
  const { net, total } = input.charge
  return movement("collect", input.token, [
    [payer(input.payer), -(total + net)],
    [collectingOf(input), total + net],
    [payer(input.payer), total + net],
    [owedFrom(input.merchantId, input), -net],
    [fees(input.partnerId), -total],
  ])
}

/** A payment, or a part of it, that goes back to its payer, and whose money it is. */
export interface Refunded extends Omit<Paid, "charge"> {
  readonly quantity: Money.Quantity
  /** Of the payment's own share, which the merchant is then no longer owed. */
  readonly own: Money.Quantity
  /** Of the fee, which we give up. */
  readonly fee: Money.Quantity
  /** Of the merchant's other shares, which were kept for it. */
  readonly kept?: ReadonlyArray<Kept>
}

/**
 * The float pays what the merchant's money does not: that becomes the merchant's debt. Amounts kept on other accounts
 * become the operator's, because the operator's money pays for them on the account that sends the refund.
 */
export const refund = (input: Refunded): Transaction => {
  const { fee, kept = [], merchantId, own, quantity } = input
  const total = kept.reduce((sum, each) => sum + each.quantity, 0n)
  return movement("refund", input.token, [
    [payer(input.payer), quantity],
    [collectingOf(input), -quantity],
    [payer(input.payer), -quantity],
    [owedFrom(merchantId, input), own],
    ...kept.map((each) => [keptOn(merchantId, each), each.quantity] as const),
    [debt(merchantId), quantity - fee - own - total],
    [fees(input.partnerId), fee],
  ])
}

/** What accounts give for a transfer; a negative quantity goes to the account instead. */
export type Claims = ReadonlyArray<readonly [account: Account, quantity: bigint]>

/** Money goes to a merchant's destination: as much as the accounts give for it together. */
export const payout = (
  input: Held & { readonly merchantId: MerchantId.MerchantId; readonly destination: Caip.Account },
  claims: Claims,
): Transaction => {
  const { destination, merchantId, token } = input
  const quantity = claims.reduce((sum, [, each]) => sum + each, 0n)
  const outside: Account = { _tag: "Settled", merchantId, destination }
  return movement("settle", token, [
    [collectingOf(input), -quantity],
    [outside, quantity],
    [outside, -quantity],
    ...claims,
  ])
}

/** What a merchant is owed is kept to pay its debt, and nothing is sent. */
export const netting = (
  input: Moved & { readonly merchantId: MerchantId.MerchantId },
): Transaction =>
  between(
    "net",
    input.token,
    [owedFrom(input.merchantId, input), debt(input.merchantId)],
    input.quantity,
  )

/**
 * What a merchant is owed from one of our accounts is kept there for a waiting refund: of its own, or of another
 * merchant of its partner.
 */
export const keptBack = (
  input: Moved & {
    readonly merchantId: MerchantId.MerchantId
    /** The merchant whose share it was, if it was another one's. */
    readonly from?: MerchantId.MerchantId
  },
): Transaction => {
  const { from = input.merchantId, merchantId, quantity, token } = input
  return between("keep", token, [owedFrom(from, input), keptOn(merchantId, input)], quantity)
}

/** Late money, and its sender. */
export interface Late extends Moved {
  readonly payer: Caip.Account
}

const late = (kind: Kind, input: Late, sign: 1n | -1n): Transaction =>
  movement(kind, input.token, [
    [payer(input.payer), -input.quantity * sign],
    [collectingOf(input), input.quantity * sign],
    [payer(input.payer), input.quantity * sign],
    [suspense(input), -input.quantity * sign],
  ])

/** A transfer that no payment takes any more reached the collecting account. */
export const suspension = (input: Late): Transaction => late("suspend", input, 1n)

/** Late money returns to its sender. */
export const lateReturn = (input: Late): Transaction => late("return", input, -1n)

/** A final transfer vanished from the chain: the tokens are gone, and what we owe for them stays. */
export const disappearance = (input: Moved): Transaction =>
  between("lose", input.token, [collectingOf(input), loss], -input.quantity)

/** The operator put tokens into a collecting account. */
export const funding = (input: Moved): Transaction =>
  between("fund", input.token, [collectingOf(input), operator], input.quantity)

/** The operator took tokens out of a collecting account: float, or fees. */
export const withdrawal = (input: Moved): Transaction =>
  between("withdraw", input.token, [collectingOf(input), operator], -input.quantity)

/** Our own tokens left one of our accounts for another one. */
export const departure = (input: Moved): Transaction =>
  between("move", input.token, [collectingOf(input), transit], -input.quantity)

/** They are final on the account to which they went. */
export const arrival = (input: Moved): Transaction =>
  between("move", input.token, [transit, collectingOf(input)], -input.quantity)

/** Reverses a transaction: the transfer behind it proved impossible. */
export const reversal = (original: Transaction): Transaction => ({
  kind: "reverse",
  postings: original.postings.map((posting) => ({ ...posting, delta: -posting.delta })),
})

/** The sum of an account's postings in one token. */
export interface Balance {
  readonly account: Account
  readonly token: Caip.Token
  readonly balance: bigint
}

/** Balances by account and token, keyed by {@link balanceKey}. */
export type Balances = ReadonlyMap<string, Balance>

export const balanceKey = (account: Account, token: Caip.Token): string =>
  `${accountKey(account)} ${Caip.tokenKey(token)}`

/** Adds up the postings of transactions. An account that moved stays listed when it returns to zero. */
export const balances = (transactions: Iterable<Transaction>): Balances => {
  const totals = new Map<string, Balance>()
  for (const { postings } of transactions) {
    for (const { account, token, delta } of postings) {
      const key = balanceKey(account, token)
      totals.set(key, { account, token, balance: (totals.get(key)?.balance ?? 0n) + delta })
    }
  }
  return totals
}

/** The balance of an account in a token: 0 if nothing ever moved. */
export const balanceOf = (of: Balances, account: Account, token: Caip.Token): bigint =>
  of.get(balanceKey(account, token))?.balance ?? 0n

/** How much of a token. */
export interface Sum {
  readonly token: Caip.Token
  readonly quantity: bigint
}

/** The sum of each token. */
export const sumsOf = (all: Iterable<Sum>): ReadonlyArray<Sum> => {
  const found = new Map<string, Sum>()
  for (const { quantity, token } of all) {
    const key = Caip.tokenKey(token)
    found.set(key, { token, quantity: quantity + (found.get(key)?.quantity ?? 0n) })
  }
  return [...found.values()]
}

/** What the accounts hold of each token, without tokens of which they hold nothing. */
export const sums = (of: Balances): ReadonlyArray<Sum> =>
  sumsOf(Array.from(of.values(), ({ balance: quantity, token }) => ({ token, quantity }))).filter(
    ({ quantity }) => quantity !== 0n,
  )

/** The balances that can only come from a mistake: an account on the wrong side of zero. */
export const unsound = (of: Balances): ReadonlyArray<Balance> =>
  [...of.values()].filter((each) => !isSound(each.account, each.balance))

/** Our account on which the money of a ledger account lies, if it lies on one. */
export const holderOf = (account: Account): Caip.Address | undefined =>
  "address" in account ? account.address : undefined

/**
 * What one of our accounts holds of a token beyond what is owed from it or kept for refunds. No other outgoing
 * transaction may take more than this, because it would pay with other people's money.
 */
export const float = (of: Balances, { collecting: address, token }: Held): bigint => {
  let total = 0n
  for (const { account, balance, token: each } of of.values()) {
    if (Caip.sameToken(each, token) && holderOf(account) === address) total += balance
  }
  return total
}

/** What one of our accounts holds of a token, and how much of that is owed to merchants and to senders of late money. */
export interface Holding extends Held {
  readonly holds: bigint
  readonly owed: bigint
}

/** Each of our accounts that ever held a token, in any order. */
export const holdings = (of: Balances): ReadonlyArray<Holding> => {
  const found = new Map<string, Holding>()
  for (const { account, balance, token } of of.values()) {
    const collecting = holderOf(account)
    if (collecting === undefined) continue
    const key = `${Caip.tokenKey(token)} ${collecting}`
    const { holds, owed } = found.get(key) ?? { holds: 0n, owed: 0n }
    const isHeld = account._tag === "Collecting"
    found.set(key, {
      collecting,
      token,
      holds: isHeld ? holds + balance : holds,
      owed: isHeld ? owed : owed - balance,
    })
  }
  return [...found.values()]
}

/**
 * Whether we chose to make the transaction: a refund of money the merchant already had, a returned fee, or what the
 * operator takes out or moves.
 */
const isOwnWill = ({ kind }: Transaction): boolean =>
  kind === "refund" || kind === "withdraw" || kind === "move"

/** The accounts whose float a transaction of our own choice uses: it is refused if the float would fall below zero. */
export const drawn = (of: Transaction): ReadonlyArray<Held> => {
  if (!isOwnWill(of)) return []
  const own = balances([of])
  return [...own.values()].flatMap(({ account, token }) => {
    if (account._tag !== "Collecting") return []
    const held = { collecting: account.address, token }
    return float(own, held) < 0n ? [held] : []
  })
}
