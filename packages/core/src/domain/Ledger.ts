/**
 * The double-entry ledger: where every unit of other people's money is, and whose it is.
 *
 * A transaction is a list of postings, and a posting adds `delta` to an account, counted in the token's smallest unit.
 * Debits are positive, credits negative, and per token the deltas of a transaction sum to zero:
 *
 * - What we have is positive: `Collecting` (tokens on a relayer account), `Debt` (what a merchant owes us), `Loss`.
 * - What we owe or own is negative: `Owed` (to a merchant), `Suspense` (to whoever sent late money), `Fees` (our
 *   revenue), `Operator` (what the operator put in).
 * - `Payer` and `Settled` stand for the outside. Tokens that come from a payer credit it, and what the payer gets for
 *   them debits it in the same transaction; the same, mirrored, when tokens go out. So their balance is always zero,
 *   and their postings tell who paid and who was paid.
 *
 * Money in is written when its transfer is final. Money out is written when we commit to it, which is when its signed
 * transaction is stored, so that nothing can be promised twice; it is reversed if that transfer proves impossible. With
 * nothing on its way, a collecting account holds exactly what the chain says it holds.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Caip from "./Caip.ts"
import type * as Fees from "./Fees.ts"
import * as Merchant from "./Merchant.ts"
import type * as Money from "./Money.ts"

export type Account = typeof Account.Type
export const Account = Schema.TaggedUnion({
  /** Outside: the account that paid, or gets its money back. */
  Payer: { account: Caip.Account },
  /** A relayer account of ours that holds tokens. */
  Collecting: { chainId: Caip.ChainId, address: Caip.Address },
  /** What a merchant is still to be paid. */
  Owed: { merchantId: Merchant.MerchantId },
  /** Our revenue, by the partner it came through. */
  Fees: { partnerId: Merchant.PartnerId },
  /** Outside: where a merchant was paid. */
  Settled: { merchantId: Merchant.MerchantId, destination: Caip.Account },
  /** Late money: it arrived, and no payment takes it. */
  Suspense: {},
  /** What a merchant owes after a refund of money it already had. */
  Debt: { merchantId: Merchant.MerchantId },
  /** What a reorganisation deeper than the chain's policy took from us. */
  Loss: {},
  /** The float that the operator put into the collecting accounts. */
  Operator: {},
})

/** Adds `delta` to an account: a debit when positive, a credit when negative. */
export interface Posting extends Schema.Schema.Type<typeof Posting> {}
export const Posting = Schema.Struct({ account: Account, token: Caip.Token, delta: Schema.BigInt })

/** What a transaction is for. */
export type Kind = typeof Kind.Type
export const Kind = Schema.Literals([
  "collect",
  "settle",
  "net",
  "refund",
  "suspend",
  "return",
  "lose",
  "fund",
  "withdraw",
  "reverse",
])

/** Postings that were checked by {@link transaction}: they belong together or not at all. */
export interface Transaction extends Schema.Schema.Type<typeof Transaction> {}
export const Transaction = Schema.Struct({ kind: Kind, postings: Schema.Array(Posting) })

/** Postings that are not a transaction. */
export class Unbalanced extends Schema.TaggedError<Unbalanced>()("Unbalanced", {
  kind: Kind,
  /**
   * `empty`: nothing moves. `zero`: a posting moves nothing. `chain`: an account holds no tokens of that chain.
   * `sum`: the deltas of a token do not sum to zero.
   */
  reason: Schema.Literals(["empty", "zero", "chain", "sum"]),
  message: Schema.String,
}) {}

/**
 * Canonical text of an account, for keys and columns.
 *
 * @example
 * Ledger.accountKey({ _tag: "Owed", merchantId }) // "owed:mrch_2f8b"
 */
export const accountKey = (account: Account): string => {
  switch (account._tag) {
    case "Payer":
      return `payer:${account.account.chainId}:${account.account.address}`
    case "Collecting":
      return `collecting:${account.chainId}:${account.address}`
    case "Owed":
      return `owed:${account.merchantId}`
    case "Fees":
      return `fees:${account.partnerId}`
    case "Settled":
      return `settled:${account.merchantId}:${account.destination.chainId}:${account.destination.address}`
    case "Suspense":
      return "suspense"
    case "Debt":
      return `debt:${account.merchantId}`
    case "Loss":
      return "loss"
    case "Operator":
      return "operator"
  }
}

/**
 * The side on which an account's balance lies. `debit` and `credit` accounts never cross zero; `outside` accounts
 * never leave it; a `free` account may lie on either side.
 */
export type Side = "debit" | "credit" | "outside" | "free"

export const side: { readonly [Tag in Account["_tag"]]: Side } = {
  Payer: "outside",
  Collecting: "debit",
  Owed: "credit",
  // A fee is given back after it may have been withdrawn.
  Fees: "free",
  Settled: "outside",
  Suspense: "credit",
  Debt: "debit",
  Loss: "debit",
  // The operator may take out more than it put in, when it takes the fees.
  Operator: "free",
}

/** Whether an account of this kind may have this balance. */
export const isSound = (account: Account, balance: bigint): boolean => {
  switch (side[account._tag]) {
    case "debit":
      return balance >= 0n
    case "credit":
      return balance <= 0n
    case "outside":
      return balance === 0n
    case "free":
      return true
  }
}

/** The chain an account lives on, or undefined where it can hold tokens of every chain. */
const chainOf = (account: Account): Caip.ChainId | undefined => {
  switch (account._tag) {
    case "Payer":
      return account.account.chainId
    case "Collecting":
      return account.chainId
    case "Settled":
      return account.destination.chainId
    default:
      return undefined
  }
}

/**
 * Checks postings and makes them one transaction. The movements below are balanced by how they are built; an adapter
 * checks what it writes all the same.
 */
export const transaction = (
  kind: Kind,
  postings: ReadonlyArray<Posting>,
): Result.Result<Transaction, Unbalanced> => {
  const refuse = (reason: Unbalanced["reason"], message: string) =>
    Result.fail(new Unbalanced({ kind, reason, message }))
  if (postings.length === 0) return refuse("empty", "a transaction has postings: nothing moves")
  const sums = new Map<string, bigint>()
  for (const { account, token, delta } of postings) {
    if (delta === 0n) return refuse("zero", "a posting moves at least one unit: leave it out")
    const chain = chainOf(account)
    if (chain !== undefined && chain !== token.chainId) {
      return refuse("chain", `an account on chain ${chain} holds no tokens of ${token.chainId}`)
    }
    const key = Caip.tokenKey(token)
    sums.set(key, (sums.get(key) ?? 0n) + delta)
  }
  for (const [key, sum] of sums) {
    if (sum !== 0n) return refuse("sum", `the postings of token ${key} do not sum to zero`)
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

/** Tokens on the account of ours that collects them, which is on the token's own chain. */
interface Held {
  readonly collecting: Caip.Address
  readonly token: Caip.Token
}

/** A payment as it was paid, and how it was split. */
export interface Paid extends Held {
  readonly payer: Caip.Account
  readonly merchantId: Merchant.MerchantId
  readonly partnerId: Merchant.PartnerId
  readonly charge: Fees.Charge
}

const collecting = (held: Held): Account => ({
  _tag: "Collecting",
  chainId: held.token.chainId,
  address: held.collecting,
})
const payer = (account: Caip.Account): Account => ({ _tag: "Payer", account })
const owed = (merchantId: Merchant.MerchantId): Account => ({ _tag: "Owed", merchantId })
const debt = (merchantId: Merchant.MerchantId): Account => ({ _tag: "Debt", merchantId })
const fees = (partnerId: Merchant.PartnerId): Account => ({ _tag: "Fees", partnerId })
const suspense: Account = { _tag: "Suspense" }
const loss: Account = { _tag: "Loss" }
const operator: Account = { _tag: "Operator" }

/** A payment moves between the outside, our account, and the merchant's claim; `sign` is −1 when it goes back. */
const payment = (kind: Kind, input: Paid, claim: Account, sign: 1n | -1n): Transaction => {
  const paid = (input.charge.total + input.charge.net) * sign
  return movement(kind, input.token, [
    [payer(input.payer), -paid],
    [collecting(input), paid],
    [payer(input.payer), paid],
    [claim, -input.charge.net * sign],
    [fees(input.partnerId), -input.charge.total * sign],
  ])
}

/** The payer's transfer reached the collecting account: the merchant is owed the net, and the fee is ours. */
export const collected = (input: Paid): Transaction =>
  payment("collect", input, owed(input.merchantId), 1n)

/**
 * The whole payment goes back before anything was settled: the merchant is no longer owed the net, and we give up the
 * fee.
 */
export const refundedBeforeSettlement = (input: Paid): Transaction =>
  payment("refund", input, owed(input.merchantId), -1n)

/**
 * The whole payment goes back after the merchant had its net: the float pays, the net becomes the merchant's debt, and
 * we give up the fee.
 */
export const refundedAfterSettlement = (input: Paid): Transaction =>
  payment("refund", input, debt(input.merchantId), -1n)

/** Money that goes to a merchant's destination. */
interface ToMerchant extends Held {
  readonly merchantId: Merchant.MerchantId
  readonly destination: Caip.Account
  readonly quantity: Money.Quantity
}

/** `quantity` goes to the merchant's destination, for what the claims say. */
const paidOut = (
  input: ToMerchant,
  claims: ReadonlyArray<readonly [account: Account, delta: bigint]>,
): Transaction => {
  const { destination, merchantId, quantity, token } = input
  const outside: Account = { _tag: "Settled", merchantId, destination }
  return movement("settle", token, [
    [collecting(input), -quantity],
    [outside, quantity],
    [outside, -quantity],
    ...claims,
  ])
}

/** `quantity` goes to the merchant's destination; `netted` more of what was owed is kept against its debt. */
export const settled = (input: ToMerchant & { readonly netted: Money.Quantity }): Transaction =>
  paidOut(input, [
    [owed(input.merchantId), input.quantity + input.netted],
    [debt(input.merchantId), -input.netted],
  ])

/** More went to the merchant's destination than it was owed: it owes that to us. */
export const advanced = (input: ToMerchant): Transaction =>
  paidOut(input, [[debt(input.merchantId), input.quantity]])

/** What a merchant is owed is kept against its debt, and nothing is sent. */
export const netted = (input: {
  readonly merchantId: Merchant.MerchantId
  readonly token: Caip.Token
  readonly quantity: Money.Quantity
}): Transaction =>
  movement("net", input.token, [
    [owed(input.merchantId), input.quantity],
    [debt(input.merchantId), -input.quantity],
  ])

/** Late money, and whom it came from. */
export interface Late extends Held {
  readonly payer: Caip.Account
  readonly quantity: Money.Quantity
}

const late = (kind: Kind, input: Late, sign: 1n | -1n): Transaction =>
  movement(kind, input.token, [
    [payer(input.payer), -input.quantity * sign],
    [collecting(input), input.quantity * sign],
    [payer(input.payer), input.quantity * sign],
    [suspense, -input.quantity * sign],
  ])

/** A transfer reached the collecting account that no payment takes any more. */
export const suspended = (input: Late): Transaction => late("suspend", input, 1n)

/** Late money goes back to where it came from. */
export const returned = (input: Late): Transaction => late("return", input, -1n)

interface Moved extends Held {
  readonly quantity: Money.Quantity
}

/** A final transfer vanished from the chain: the tokens are gone, and what we owe for them stays. */
export const lost = (input: Moved): Transaction =>
  movement("lose", input.token, [
    [collecting(input), -input.quantity],
    [loss, input.quantity],
  ])

/** The operator put tokens into a collecting account. */
export const funded = (input: Moved): Transaction =>
  movement("fund", input.token, [
    [collecting(input), input.quantity],
    [operator, -input.quantity],
  ])

/** The operator took tokens out of a collecting account: float, or fees. */
export const withdrawn = (input: Moved): Transaction =>
  movement("withdraw", input.token, [
    [collecting(input), -input.quantity],
    [operator, input.quantity],
  ])

/** Takes a transaction back: what it stood for proved impossible. */
export const reversed = (original: Transaction): Transaction => ({
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

/** Adds up the postings of transactions. An account that moved stays listed when it comes back to zero. */
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

/** The balance of an account in a token: 0 where nothing ever moved. */
export const balanceOf = (of: Balances, account: Account, token: Caip.Token): bigint =>
  of.get(balanceKey(account, token))?.balance ?? 0n

/** The balances that can only come from a mistake: an account on the wrong side of zero. */
export const unsound = (of: Balances): ReadonlyArray<Balance> =>
  [...of.values()].filter((each) => !isSound(each.account, each.balance))

/**
 * What our accounts hold of a token beyond what is owed to merchants and to senders of late money. A refund after the
 * settlement may draw on no more than this, or it would pay with someone else's money.
 */
export const float = (of: Balances, token: Caip.Token): bigint => {
  let total = 0n
  for (const each of of.values()) {
    if (!Caip.sameToken(each.token, token)) continue
    switch (each.account._tag) {
      case "Collecting":
      case "Owed":
      case "Suspense":
        total += each.balance
    }
  }
  return total
}

/**
 * Whether a transaction of our own will takes from the float: a refund of money the merchant already had, a fee given
 * back that may have been withdrawn, or money the operator takes out. It is refused where {@link float} would fall below
 * zero.
 */
export const drawsOnFloat = (of: Transaction): boolean =>
  (of.kind === "refund" || of.kind === "withdraw") &&
  of.postings.some(({ token }) => float(balances([of]), token) < 0n)
