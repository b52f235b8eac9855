/**
 * The filters of a list of payments, as one table: the name of each, how it is read, and which payments pass it.
 *
 * Lists and their cursors, the contract and its documents, and the command line's flags are generated from the table. A
 * storage with a query language of its own has a table of the same keys, and must return exactly what this one defines.
 *
 * @module
 */
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Caip from "../chain/Caip.ts"
import type * as Catalog from "../chain/Catalog.ts"
import * as Family from "../chain/Family.ts"
import * as Invalid from "../ground/Invalid.ts"
import * as Limits from "../ground/Limits.ts"
import * as MerchantId from "../ground/MerchantId.ts"
import * as Rfc3339 from "../ground/Rfc3339.ts"
import * as Amount from "../money/Amount.ts"
import * as Payment from "../payment/Payment.ts"
import * as PaymentState from "../payment/PaymentState.ts"

/** The schema of one value in a query; `literals` if there are only a few. */
type Item = Schema.Top & { readonly literals?: ReadonlyArray<string> }

/** The parts of a filter that callers see. */
export interface Described<
  Name extends string = string,
  Sent extends Item = Item,
  Repeats extends boolean = boolean,
> {
  /** Its name in a query. */
  readonly name: Name
  readonly item: Sent
  /** Whether it may be sent several times: a payment then needs one of the values. */
  readonly isRepeatable: Repeats
  readonly description: string
  readonly example?: string
  readonly isDeprecated?: true
  /** The error for values that cannot be read. */
  readonly rule: string
}

/** Everything about a filter, except how a database finds its payments. */
export interface Row<
  Value,
  Name extends string = string,
  Sent extends Item = Item,
  Repeats extends boolean = boolean,
> extends Described<Name, Sent, Repeats> {
  /** Reads the values that were sent into a canonical form; undefined if they break the rule. */
  readonly read: (sent: ReadonlyArray<string>, catalog: Catalog.Catalog) => Value | undefined
  readonly matches: (payment: Payment.Payment, value: Value, now: number) => boolean
  /** Equal for equal values, because cursors are bound to it (default: JSON). */
  readonly text?: (value: Value) => string
}

const row = <Value, const Name extends string, Sent extends Item, const Repeats extends boolean>(
  filter: Row<Value, Name, Sent, Repeats>,
): Row<Value, Name, Sent, Repeats> => filter

/** ASCII letters in lower case, other characters unchanged: references are compared in this form. */
export const foldAscii = (text: string): string =>
  text.replace(/[A-Z]/gu, (letter) => letter.toLowerCase())

/** Text that storage can search for. Postgres does not accept NUL. */
const isText = (text: string): boolean => /^[^\p{Cc}\p{Cs}]+$/u.test(text)

const isSymbol = (text: string): boolean => isText(text) && !/[/:]/u.test(text)

/** Symbols, and the tokens that have one of them. */
export interface Symbols {
  readonly symbols: ReadonlyArray<string>
  readonly tokens: ReadonlyArray<Caip.Token>
}

/** The symbols of a catalog among some texts, in any ASCII case. */
export const symbolsOf = (texts: ReadonlyArray<string>, { assets }: Catalog.Catalog): Symbols => {
  const folded = new Set(texts.map(foldAscii))
  const named = assets.filter(({ symbol }) => folded.has(foldAscii(symbol)))
  return {
    symbols: [...new Set(named.map(({ symbol }) => symbol))].toSorted(),
    tokens: named.map(({ token }) => token),
  }
}

const assetAddress = /^[-.%a-zA-Z0-9]{1,128}(?:\/[-.%a-zA-Z0-9]{1,78})?$/u

/** Whether a text is well formed and of a family that is not available. */
const isForeign = (kind: "chain" | "asset", text: string, { families }: Catalog.Catalog): boolean =>
  Result.match(Caip.split(kind, text), {
    onFailure: () => false,
    onSuccess: ({ address, namespace }) =>
      !families.some((each) => each.namespace === namespace) &&
      (kind === "chain" || assetAddress.test(address)),
  })

/**
 * The tokens of a family that is no longer available. Its spellings are not known, so the exact spelling comes before
 * others. The standard of the token may have been printed under another name while the family was available.
 */
const foreignTokens = (text: string, { assets }: Catalog.Catalog): ReadonlyArray<Caip.Token> => {
  const { address, namespace, reference } = Result.getOrElse(Caip.split("asset", text), () => ({
    address: "",
    namespace: "",
    reference: "",
  }))
  const there = assets
    .map(({ token }) => token)
    .filter(({ chainId }) => chainId === `${namespace}:${reference}`)
  const same = there.filter((token) => token.address === address)
  return same.length > 0
    ? same
    : there.filter((token) => foldAscii(token.address) === foldAscii(address))
}

const assetPrefix = "caip19/"

const readAsset = (
  sent: string,
  catalog: Catalog.Catalog,
): ReadonlyArray<Caip.Token> | undefined => {
  if (isSymbol(sent)) {
    const folded = foldAscii(sent)
    return catalog.assets
      .filter((asset) => foldAscii(asset.symbol) === folded)
      .map((asset) => asset.token)
  }
  const text = sent.startsWith(assetPrefix) ? sent.slice(assetPrefix.length) : sent
  const parsed = Family.parseToken(catalog, text, "ignored")
  if (Result.isSuccess(parsed)) return [parsed.success]
  return isForeign("asset", text, catalog) ? foreignTokens(text, catalog) : undefined
}

const readChains = (
  sent: string,
  catalog: Catalog.Catalog,
): ReadonlyArray<Caip.ChainId> | undefined => {
  const chainIds = new Set<Caip.ChainId>()
  for (const text of sent.split(",")) {
    const parsed = Family.parseChain(catalog, text)
    // A payment's `networkId` is the reference alone, which chains of several families may have.
    const stored = catalog.networks.filter(
      ({ chainId }) => chainId === text || Caip.referenceOf(chainId) === text,
    )
    if (Result.isSuccess(parsed)) chainIds.add(parsed.success)
    else if (stored.length > 0) stored.forEach(({ chainId }) => chainIds.add(chainId))
    else if (!isForeign("chain", text, catalog)) return undefined
  }
  return [...chainIds].toSorted()
}

const referencePattern = new RegExp(
  `^[A-Za-z0-9 /:.,+-]{${Limits.referenceFilterMinLength},${Limits.referenceFilterMaxLength}}$`,
  "u",
)

const currencyPattern = /^[A-Za-z]{3}$/u

const isMerchantId = Schema.is(MerchantId.MerchantId)

/** Drops a text that cannot be a merchant id, because nothing has it. */
const readMerchantIds = (
  sent: ReadonlyArray<string>,
): ReadonlyArray<MerchantId.MerchantId> | undefined =>
  sent.every(isText) ? [...new Set(sent.filter(isMerchantId))].toSorted() : undefined

/** The token in which a payment was paid or, until it is confirmed, is requested. Null while the payer may choose. */
export const tokenOf = (payment: Payment.Payment): Caip.Token | null => {
  const attempt = Payment.attemptOf(payment)
  if (attempt !== null) return attempt.option.token
  return payment.amount.unit._tag === "Token" ? payment.amount.unit.token : null
}

type Token = Caip.Token | null

const isAmong = (token: Token, among: ReadonlyArray<Caip.Token>): boolean =>
  token !== null && among.some((each) => Caip.sameToken(each, token))

const isOn = (token: Token, chainIds: ReadonlyArray<Caip.ChainId>): boolean =>
  token !== null && chainIds.includes(token.chainId)

const dateTime = Schema.String.annotate({ format: "date-time" })

/** The filter by status, for the statuses that a version allows. */
const statusFilter = <Status extends PaymentState.Status>(allowed: ReadonlyArray<Status>) =>
  row({
    name: "status",
    item: Schema.Literals(allowed),
    isRepeatable: true,
    description: "Only payments in these states",
    example: allowed.join(", "),
    rule: `must be one of ${allowed.join(", ")}`,
    read: (sent): ReadonlyArray<PaymentState.Status> | undefined =>
      sent.every((text) => allowed.some((status) => status === text))
        ? allowed.filter((status) => sent.includes(status))
        : undefined,
    matches: (payment, among, now) => among.includes(Payment.status(payment, now)),
  })

/** The statuses that a list can be filtered by, in all versions. */
export const listedStatuses = PaymentState.statuses.filter((status) => status !== "cancelled")

export const table = {
  statuses: statusFilter(listedStatuses),
  /** In ASCII lower case. */
  reference: row({
    name: "referenceId",
    item: Schema.String.check(Schema.isPattern(referencePattern)),
    isRepeatable: false,
    description: "A part of the reference",
    rule: `must have ${Limits.referenceFilterMinLength} to ${Limits.referenceFilterMaxLength} characters: letters, digits, space and / : . , + -`,
    read: ([text = ""]) => (referencePattern.test(text) ? foldAscii(text) : undefined),
    matches: ({ referenceId }, part) => foldAscii(referenceId).includes(part),
  }),
  /** Epoch milliseconds. */
  createdFrom: row({
    name: "startTs",
    item: dateTime,
    isRepeatable: false,
    description: "Created at this time or later",
    example: "2026-03-01T00:00:00Z",
    rule: Rfc3339.rule,
    read: ([text = ""]) => Rfc3339.read(text),
    matches: ({ createdAt }, from) => createdAt >= from,
  }),
  /** Epoch milliseconds. */
  createdBefore: row({
    name: "endTs",
    item: dateTime,
    isRepeatable: false,
    description: "Created before this time",
    rule: Rfc3339.rule,
    read: ([text = ""]) => Rfc3339.read(text),
    matches: ({ createdAt }, before) => createdAt < before,
  }),
  /** Unknown symbols are dropped: no payment has them. */
  tokenSymbols: row({
    name: "token_symbol",
    item: Schema.NonEmptyString,
    isRepeatable: true,
    description: "Paid in this token",
    example: "USDC",
    rule: "must be a token symbol, such as USDC, and not a CAIP-19 id",
    read: (sent, catalog) => (sent.every(isSymbol) ? symbolsOf(sent, catalog) : undefined),
    matches: (payment, { tokens }) => isAmong(tokenOf(payment), tokens),
    // A cursor stays valid when a further token gets the same symbol.
    text: ({ symbols }) => JSON.stringify(symbols),
  }),
  tokens: row({
    name: "asset",
    item: Schema.String,
    isRepeatable: false,
    description: "Deprecated: use token_symbol",
    isDeprecated: true,
    rule: "must be a CAIP-19 asset id, <namespace>:<chain id>/<kind>:<contract>, or a token symbol",
    read: ([text = ""], catalog) => readAsset(text, catalog),
    matches: (payment, among) => isAmong(tokenOf(payment), among),
    text: (among) => JSON.stringify(among.map(({ address, chainId }) => `${chainId}/${address}`)),
  }),
  chainIds: row({
    name: "network",
    item: Schema.String,
    isRepeatable: false,
    description: "Paid on these chains",
    rule: "must be CAIP-2 chain ids or the networkId of known chains, separated by commas",
    read: ([text = ""], catalog) => readChains(text, catalog),
    matches: (payment, chainIds) => isOn(tokenOf(payment), chainIds),
  }),
  merchantIds: row({
    name: "merchantId",
    item: Schema.NonEmptyString,
    isRepeatable: true,
    description: "Only payments of these merchants",
    rule: "must not be empty or contain control characters",
    read: readMerchantIds,
    matches: ({ merchantId }, among) => among.includes(merchantId),
  }),
  /** Unknown codes are dropped: no payment has them. A payment that is requested in a token has no currency. */
  currencies: row({
    name: "currency",
    item: Schema.String.check(Schema.isPattern(currencyPattern)),
    isRepeatable: true,
    description: "Requested in this currency",
    example: "EUR",
    rule: "must be a currency's code of three letters, such as EUR",
    read: (sent): ReadonlyArray<Amount.Currency> | undefined =>
      sent.every((text) => currencyPattern.test(text))
        ? Amount.Currency.literals.filter((code) =>
            sent.some((text) => text.toUpperCase() === code),
          )
        : undefined,
    matches: ({ amount: { unit } }, among) => unit._tag === "Fiat" && among.includes(unit.currency),
  }),
}

type Table = typeof table

/** The decoded values of the filters. */
export type Values = {
  readonly [K in keyof Table]: NonNullable<ReturnType<Table[K]["read"]>>
}

/** The conditions for a payment to be listed. Null sets no condition; an empty list matches nothing. */
export type Filter = { readonly [K in keyof Values]: Values[K] | null }

/** Filters as they were sent. */
export type Raw = {
  readonly [K in keyof Table as Table[K]["name"]]?:
    | (Table[K]["isRepeatable"] extends true ? ReadonlyArray<string> : string)
    | undefined
}

type Rows = { readonly [K in keyof Values]: Row<Values[K]> }

const rows: Rows = table
const rowsWithCancelled: Rows = { ...table, statuses: statusFilter(PaymentState.statuses) }
const keys = Struct.keys(table)

/** A filter that lets every payment through. */
export const unfiltered: Filter = Record.map(table, () => null)

/**
 * Reads every filter that was sent and reports each one that breaks its rule. `allowsCancelled` lets `status` name
 * `cancelled` too.
 */
export const read = (
  raw: Raw,
  allowsCancelled: boolean,
  catalog: Catalog.Catalog,
): Result.Result<Filter, Invalid.InvalidInput> => {
  const readers = allowsCancelled ? rowsWithCancelled : rows
  const byName: Readonly<Record<string, string | ReadonlyArray<string> | undefined>> = raw
  const issues: Array<Invalid.Issue> = []
  const filter: { -readonly [K in keyof Filter]: Filter[K] } = { ...unfiltered }
  const readOne = <K extends keyof Values>(key: K): void => {
    const { name, read: readTexts, rule } = readers[key]
    const sent = [byName[name] ?? []].flat()
    // A repeatable filter that was not sent is not set.
    if (sent.length === 0) return
    const value = readTexts(sent, catalog)
    if (value === undefined) issues.push(Invalid.issue(name, rule))
    else filter[key] = value
  }
  for (const key of keys) readOne(key)
  return Result.map(Invalid.check(issues), () => filter)
}

/** The filter of a list that shows one merchant's payments only; null leaves it as it is. */
export const narrow = (filter: Filter, merchantId: MerchantId.MerchantId | null): Filter =>
  merchantId === null
    ? filter
    : {
        ...filter,
        merchantIds: (filter.merchantIds ?? [merchantId]).filter((each) => each === merchantId),
      }

/** Whether a payment in this token passes the filters on tokens, symbols and chains. */
export const tokenMatches = (token: Token, filter: Filter): boolean =>
  (filter.tokenSymbols === null || isAmong(token, filter.tokenSymbols.tokens)) &&
  (filter.tokens === null || isAmong(token, filter.tokens)) &&
  (filter.chainIds === null || isOn(token, filter.chainIds))

/** Whether a payment passes every filter, with the status it has at `now`. */
export const matches = (payment: Payment.Payment, filter: Filter, now: number): boolean => {
  const passes = <K extends keyof Values>(key: K): boolean => {
    const value = filter[key]
    return value === null || rows[key].matches(payment, value, now)
  }
  return keys.every((key) => passes(key))
}

/**
 * Equal for equal filters, no matter how or in which order they were sent. Filters that are not set are left out, so
 * that a cursor stays valid when a later release adds a filter.
 */
export const texts = (filter: Filter): ReadonlyArray<readonly [name: string, text: string]> => {
  const textOf = <K extends keyof Values>(key: K) => {
    const value = filter[key]
    return value === null
      ? []
      : [[rows[key].name, (rows[key].text ?? JSON.stringify)(value)] as const]
  }
  return keys.flatMap((key) => textOf(key)).toSorted(([left], [right]) => (left < right ? -1 : 1))
}
