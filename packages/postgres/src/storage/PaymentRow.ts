/**
 * A payment as rows: the values that lists search, sort and count are columns, and the documents hold all of it.
 *
 * A payment that succeeded has two rows. What was promised and proven rarely changes from then on, and many indexes
 * point to it; what happens to the money is in the narrow row of its entry. The entry's row then has the revision.
 *
 * @module
 */
import * as Balance from "@florin/core/domain/books/Balance"
import * as Refunding from "@florin/core/domain/books/Refunding"
import * as Transfer from "@florin/core/domain/chain/Transfer"
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import * as PaymentSort from "@florin/core/domain/list/PaymentSort"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Entry from "@florin/core/domain/payment/Entry"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Schema from "effect/Schema"
import * as Payments from "../schema/Payments.ts"
import * as Document from "./Document.ts"
import type * as Records from "./Records.ts"

export const isObject = (json: unknown): json is Schema.JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)

/** What texts begin with that are stored as bytes. */
const hexPrefix = "0x"

/**
 * What most payments have, and what is not stored of them: no such member is ever absent in a record. These values stay as
 * they are for ever, because what was stored without them is read with them.
 */
const usual: Readonly<Record<"payment" | "attempt" | "buyer" | "option", Schema.JsonObject>> = {
  payment: {
    checkout: null,
    metadata: {},
    reports: [],
    feeTerms: { fixed: [{ currency: "USD", quantity: "0" }], percentage: 0 },
  },
  attempt: { excludeFromRelayer: false },
  buyer: { providerName: null, providerIconUrl: null },
  option: { fixedFee: "0" },
}

const withoutUsual = (json: Schema.JsonObject, own: Schema.JsonObject): Schema.JsonObject => {
  const names = Object.keys(own).filter(
    (name) => JSON.stringify(json[name]) === JSON.stringify(own[name]),
  )
  return partition(json, new Set(names)).outside
}

const stateOf = (layers: ReadonlyArray<Schema.JsonObject>): Record<string, Schema.Json> =>
  Object.assign({}, ...layers.map((layer) => layer["state"]))

/** How an amount is stored in columns. */
const amountOf = (group: unknown, quantity: Schema.Json | undefined): Schema.Json => {
  const [kind, name = "", address = ""] = String(group).split("/")
  const unit: Schema.Json =
    kind === "fiat"
      ? { _tag: "Fiat", currency: name }
      : { _tag: "Token", token: { chainId: name, address } }
  return { unit, quantity: quantity ?? null }
}

/**
 * A payment as JSON, of the parts that the view `whole_payments` has: with what follows from others, and is not stored.
 * With an event of it, as it was then: without what later steps added.
 */
export const wholeOf = (parts: unknown, event: Schema.JsonObject | null = null): unknown => {
  if (!isObject(parts) || !isObject(parts["own"]) || !isObject(parts["columns"])) return parts
  const { chainId = null, columns, fingerprint, own, payer = null, signature, token = null } = parts
  const layers =
    event === null
      ? [own, parts["progress"], parts["entry"]].filter(isObject)
      : formerly(own, parts, event)
  const state = stateOf(layers)
  const { attempt, transfer } = state
  if (isObject(attempt) && isObject(attempt["option"]) && isObject(attempt["buyer"])) {
    const option: Record<string, Schema.Json> = {
      paymentId: columns["id"] ?? null,
      accountText: attempt["buyer"]["accountText"] ?? null,
      token: { chainId, address: token },
      account: { chainId, address: payer },
      ...usual.option,
      ...attempt["option"],
    }
    state["attempt"] = {
      ...usual.attempt,
      ...attempt,
      ...(typeof fingerprint === "string" && { fingerprint: fingerprint.slice(hexPrefix.length) }),
      ...(typeof signature === "string" &&
        isObject(attempt["outputs"]) && { outputs: { ...attempt["outputs"], signature } }),
      buyer: { ...usual.buyer, ...attempt["buyer"] },
      option,
    }
    if (isObject(transfer)) {
      const { payTo: to = null, quantity = null, token: of = null } = option
      state["transfer"] = {
        movement: { token: of, from: payer, to, quantity },
        txHash: parts["txHash"] ?? null,
        blockHash: parts["blockHash"] ?? null,
        ...transfer,
      }
    }
  }
  const amount = amountOf(parts["amountGroup"], parts["amount"])
  return Object.assign({ ...usual.payment, amount }, columns, ...layers, { state })
}

/** Of a payment in each state, what an event leaves to its row. */
const keptOf = (tag: Schema.Json | undefined, state: Schema.JsonObject): Schema.JsonObject => {
  if (tag === "Succeeded") return partition(state, new Set(["_tag", "lost"])).outside
  const isAttempted = tag === "Processing" || tag === "Failed"
  return isAttempted ? partition(state, new Set(["attempt"])).inside : {}
}

/** The layers of a payment at the time of an event. */
const formerly = (
  own: Schema.JsonObject,
  { entry, progress }: Schema.JsonObject,
  event: Schema.JsonObject,
): ReadonlyArray<Schema.JsonObject> => {
  const state = isObject(event["state"]) ? event["state"] : {}
  const kept = keptOf(state["_tag"], stateOf([own, progress].filter(isObject)))
  const later = isObject(entry) && isObject(entry["state"]) ? entry["state"] : {}
  const isShort = state["refunds"] === null && isObject(later["entry"]) && isObject(state["entry"])
  const settled = isShort
    ? { ...later, entry: Object.assign({}, later["entry"], state["entry"]) }
    : {}
  return [
    { ...own, state: kept },
    { ...event, state: { ...state, ...settled } },
  ]
}

const ofWhole = Document.of(Payment.Payment)

export const document: Document.Document<Payment.Payment> = {
  ...ofWhole,
  decode: (column) => ofWhole.decode(wholeOf(column)),
}

const encoded = new WeakMap<Payment.Payment, Schema.JsonObject>()

/** A payment as JSON, encoded once for its rows and its event. */
export const jsonOf = (payment: Payment.Payment): Schema.JsonObject => {
  const known = encoded.get(payment)
  if (known !== undefined) return known
  const json = document.json(payment)
  const object = isObject(json) ? json : {}
  encoded.set(payment, object)
  return object
}

/** The members that change with every step of a payment. */
const ofProgress = new Set(["reports", "auditedSince"])

/** The members of a payment, and of its state, that the row of its entry has. */
const ofCounters = new Set(["revision", "stateVersion", "updatedAt"])
const ofEntryState = new Set(["entry", "refunds"])

export const partition = (json: Schema.JsonObject, names: ReadonlySet<string>) => {
  const [inside, outside]: [Record<string, Schema.Json>, Record<string, Schema.Json>] = [{}, {}]
  for (const [name, value] of Object.entries(json)) {
    const part = names.has(name) ? inside : outside
    part[name] = value
  }
  return { inside, outside }
}

const hasEntry = ({ state }: Payment.Payment): boolean => state._tag === "Succeeded"

/** The members of a payment that are columns of its row, and in no document. */
const ofColumns = new Set([
  "id",
  "mode",
  "partnerId",
  "merchantId",
  "createdAt",
  "expiresAt",
  ...ofCounters,
])

const isSameUnit = Schema.toEquivalence(Amount.Unit)

/** Whether the columns say all of a payment's amount. */
const hasAmountOf = ({ amount: { unit } }: Payment.Payment): boolean => {
  const known = PaymentSort.unitOfGroup(PaymentSort.groupOf(unit))
  return known !== undefined && isSameUnit(known, unit)
}

/** Stored as bytes in columns. */
const ofProof = new Set(["signature"])
const ofPlace = new Set(["txHash", "blockHash"])

const ofOption = new Set(["paymentId", "accountText", "token", "account"])

/** A state as it is stored: without what follows from the rest, which {@link wholeOf} adds again. */
const storedState = (payment: Payment.Payment, state: Schema.JsonObject): Schema.JsonObject => {
  const attempt = Payment.attemptOf(payment)
  const json = state["attempt"]
  if (attempt === null || !isObject(json) || !isObject(json["option"])) return state
  const { buyer, option } = attempt
  const follows =
    option.paymentId === payment.id &&
    option.accountText === buyer.accountText &&
    option.account.chainId === option.token.chainId
  const { outside } = partition(json["option"], follows ? ofOption : new Set())
  const { buyer: by, fingerprint: _, outputs, ...rest } = json
  const stored = {
    ...state,
    attempt: {
      ...withoutUsual(rest, usual.attempt),
      ...(isObject(by) && { buyer: withoutUsual(by, usual.buyer) }),
      option: withoutUsual(outside, usual.option),
      ...(isObject(outputs) && { outputs: partition(outputs, ofProof).outside }),
    },
  }
  const transfer = state["transfer"]
  if (payment.state._tag !== "Succeeded" || !isObject(transfer)) return stored
  const { movement } = payment.state.transfer
  const others = Transfer.isSameMovement(movement, Payment.movement(attempt)) ? ["movement"] : []
  return { ...stored, transfer: partition(transfer, new Set([...ofPlace, ...others])).outside }
}

/** The document of an entry, which {@link wholeOf} joins to the others. */
const entryOf = (payment: Payment.Payment) => {
  const { state } = jsonOf(payment)
  return { state: isObject(state) ? partition(state, ofEntryState).inside : {} }
}

/** The documents of a payment's own row, which {@link wholeOf} makes one again. */
const documentsOf = (payment: Payment.Payment) => {
  const whole = partition(jsonOf(payment), ofColumns).outside
  const all = isObject(whole["state"]) ? storedState(payment, whole["state"]) : {}
  const known = new Set(hasAmountOf(payment) ? ["state", "amount"] : ["state"])
  const counted = partition(
    withoutUsual(partition(whole, known).outside, usual.payment),
    ofProgress,
  )
  const rest = partition(all, hasEntry(payment) ? ofEntryState : new Set()).outside
  const { inside: attempted, outside: state } = partition(rest, new Set(["attempt"]))
  return {
    own: { ...counted.outside, state: attempted },
    progress: { ...counted.inside, state },
  }
}

/** Whether all members are the same values, other than those that are named. */
const isSame = (left: object, right: object, except: ReadonlySet<string>): boolean => {
  const [known, members] = [new Map(Object.entries(left)), Object.entries(right)]
  return (
    known.size === members.length &&
    members.every(
      ([name, value]) => except.has(name) || (known.has(name) && known.get(name) === value),
    )
  )
}

const ofEntryOrState = new Set([...ofCounters, "state"])

/** Whether a change leaves the payment's own row as it is. */
const isOnlyOfEntry = (before: Payment.Payment, after: Payment.Payment): boolean =>
  hasEntry(before) &&
  hasEntry(after) &&
  isSame(before, after, ofEntryOrState) &&
  isSame(before.state, after.state, ofEntryState)

/** The rows to write for payments, each as it was shown to the decision. */
export const rowsOf = (
  payments: ReadonlyArray<{
    readonly payment: Payment.Payment
    readonly shown: Payment.Payment
  }>,
): {
  readonly own: ReadonlyArray<Records.Next<Payment.Payment>>
  readonly entries: ReadonlyArray<Records.Next<Payment.Payment>>
} => ({
  own: payments.flatMap(
    ({ payment: record, shown }): ReadonlyArray<Records.Next<Payment.Payment>> => {
      if (isOnlyOfEntry(shown, record)) return []
      const { revision } = shown
      return [{ record, shown: revision, ...(hasEntry(shown) && { isGuarded: true }) }]
    },
  ),
  entries: payments.flatMap(({ payment: record, shown }) => {
    if (!hasEntry(record)) return []
    return [{ record, shown: hasEntry(shown) ? shown.revision : null }]
  }),
})

const row = (payment: Payment.Payment) => {
  const token = PaymentFilter.tokenOf(payment)
  const attempt = Payment.attemptOf(payment)
  const transfer = payment.state._tag === "Succeeded" ? payment.state.transfer : null
  const { own, progress } = documentsOf(payment)
  return {
    id: payment.id,
    tenant: `${payment.partnerId}/${payment.mode}`,
    merchant: payment.merchantId,
    revision: payment.revision,
    created_at: payment.createdAt,
    expires_at: payment.expiresAt,
    // The stored status: whether an open payment is expired depends on the time of the query.
    standing: Payments.standing(Payment.status(payment, Number.NEGATIVE_INFINITY)),
    // In ASCII lower case, the form in which lists search for it.
    reference: PaymentFilter.foldAscii(payment.referenceId),
    // The group of the requested unit.
    amount_group: PaymentSort.groupOf(payment.amount.unit),
    amount: payment.amount.quantity.toString(),
    // The chain of the token in which it was paid or is requested.
    chain: token?.chainId ?? null,
    asset: token?.address ?? null,
    // The address that paid; statistics count customers by it.
    customer: attempt?.option.account.address ?? null,
    fingerprint: attempt === null ? null : `${hexPrefix}${attempt.fingerprint}`,
    signature:
      attempt !== null && "signature" in attempt.outputs ? attempt.outputs.signature : null,
    tx_hash: transfer?.txHash ?? null,
    block_hash: transfer?.blockHash ?? null,
    state_version: payment.stateVersion,
    updated_at: payment.updatedAt,
    document: own,
    progress,
  }
}

const entryRow = (payment: Payment.Payment) => {
  const { state } = payment
  const [share, succeededAt] =
    state._tag === "Succeeded" ? [state.entry, state.succeededAt] : [null, null]
  const left = share && Entry.left(share)
  const token = PaymentFilter.tokenOf(payment)
  const group = Balance.groupOf(payment)
  return {
    id: payment.id,
    tenant: `${payment.partnerId}/${payment.mode}`,
    merchant: payment.merchantId,
    created_at: payment.createdAt,
    chain: token?.chainId ?? null,
    asset: token?.address ?? null,
    revision: payment.revision,
    is_stuck: Payment.isStuck(payment),
    // Only while its share waits to be gathered.
    payout_group: group === null ? null : Balance.groupKey(group),
    payout_quantity: group === null ? null : Balance.pendingQuantity(payment).toString(),
    // Only while it is held back.
    payout_from: Balance.heldUntil(payment),
    // Only while its refund needs something of the merchant's other shares.
    refund_need: Refunding.needKeyOf(payment),
    // Its merchant has no destination in effect for it.
    is_owed: Balance.tokenOwed(payment) !== null,
    net_quantity: share && share.quantity.toString(),
    // Only while something of it is left.
    left_quantity: left === null || left === 0n ? null : left.toString(),
    succeeded_at: succeededAt,
    state_version: payment.stateVersion,
    updated_at: payment.updatedAt,
    document: entryOf(payment),
  }
}

export const table: Records.Table<Payment.Payment> = {
  name: "payments",
  whole: "whole_payments",
  what: "payment",
  document,
  row,
  // Its owner, its amount, and its creation time.
  fixed: {
    id: "text",
    tenant: "name",
    merchant: "name",
    created_at: "bigint",
    amount_group: "text",
    amount: "numeric",
  },
  changing: {
    revision: "integer",
    expires_at: "bigint",
    standing: "smallint",
    reference: "text",
    chain: "name",
    asset: "name",
    customer: "hex",
    fingerprint: "hex",
    signature: "hex",
    tx_hash: "hex",
    block_hash: "hex",
    state_version: "integer",
    updated_at: "bigint",
    document: "jsonb",
    progress: "jsonb",
  },
}

export const entries: Records.Table<Payment.Payment> = {
  name: "entries",
  whole: "whole_payments",
  what: "payment",
  document,
  row: entryRow,
  fixed: {
    id: "text",
    tenant: "name",
    merchant: "name",
    created_at: "bigint",
    chain: "name",
    asset: "name",
    net_quantity: "numeric",
    succeeded_at: "bigint",
  },
  changing: {
    revision: "integer",
    is_stuck: "boolean",
    payout_group: "name",
    payout_quantity: "numeric",
    payout_from: "bigint",
    refund_need: "text",
    is_owed: "boolean",
    left_quantity: "numeric",
    state_version: "integer",
    updated_at: "bigint",
    document: "jsonb",
  },
}
