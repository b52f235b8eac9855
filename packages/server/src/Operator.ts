/**
 * The operator's use cases in this process: the operations of the operator's API, and those that are not part of it
 * yet.
 *
 * @module
 */
import * as Invalid from "@florin/core/domain/ground/Invalid"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import type * as PageLimit from "@florin/core/domain/list/PageLimit"
import * as AuditLog from "@florin/core/engine/AuditLog"
import * as Events from "@florin/core/engine/Events"
import * as Merchants from "@florin/core/engine/Merchants"
import * as PersonalData from "@florin/core/engine/PersonalData"
import * as Settlements from "@florin/core/engine/Settlements"
import * as Statements from "@florin/core/engine/Statements"
import type { Tenant } from "@florin/core/ports/AccountStore"
import { Assets } from "@florin/core/ports/Assets"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Operation from "./Operation.ts"
import * as Client from "./operator/Client.ts"
import * as Fees from "./operator/Fees.ts"

const promised =
  (run: Client.Run) =>
  <Args extends ReadonlyArray<unknown>, A, E>(
    useCase: (...args: Args) => Effect.Effect<A, E, Operation.Ports>,
  ) =>
  (...args: Args): Promise<A> =>
    run(useCase(...args))

/** Reads an id that an embedder passes as text, or throws what is wrong with it. */
const reader =
  <A extends string>(field: string, is: (text: string) => text is A, form: string) =>
  (text: string): Result.Result<A, Invalid.InvalidInput> =>
    is(text) ? Result.succeed(text) : Invalid.fail(field, `must be ${form}`)

const partnerId = reader("partnerId", Schema.is(PartnerId.PartnerId), "the id of a partner, prtn_…")

/** A partner by its id as text, and a mode: the data that a use case works on. */
export interface Whose {
  readonly partnerId: string
  readonly mode: Mode.Mode
}

const whose = ({ mode, partnerId: id }: Whose): Result.Result<Tenant, Invalid.InvalidInput> =>
  Result.map(partnerId(id), (read) => ({ partnerId: read, mode }))

/** Wraps a use case whose first argument is or contains text: the text is parsed once, here. */
const reading =
  <Text, A, Rest extends ReadonlyArray<unknown>, B, E, R>(
    read: (text: Text) => Result.Result<A, Invalid.InvalidInput>,
    useCase: (first: A, ...rest: Rest) => Effect.Effect<B, E, R>,
  ) =>
  (text: Text, ...rest: Rest): Effect.Effect<B, E | Invalid.InvalidInput, R> =>
    Effect.flatMap(Effect.fromResult(read(text)), (first) => useCase(first, ...rest))

const setMerchantFees = Effect.fnUntraced(function* (
  tenant: Tenant,
  id: string,
  fees: Fees.Fees | null,
) {
  const change = fees === null ? null : yield* Effect.fromResult(Fees.read(fees, yield* Assets))
  return yield* Merchants.setFees(tenant, id, change)
})

/** Applies an action to one merchant, or to all merchants of a partner. */
const ofMerchant = (does: Parameters<typeof Merchants.take>[2]) =>
  reading(whose, (owner, id: string) => Merchants.take(owner, id, does))

const listDeliveries = (owner: Tenant, webhookId: string, limit: PageLimit.Raw) =>
  Effect.map(Events.deliveries(owner, webhookId, limit), ({ items }) =>
    items.map(({ delivery }) => delivery),
  )

/** The use cases of an operator as promises. */
export const make = (run: Client.Run, publicUrl: string) => {
  const of = promised(run)
  return {
    ...Client.make(run, publicUrl),
    setMerchantStatus: of(reading(whose, Merchants.setStatus)),
    /** Suspends a merchant: it takes no new payments. */
    suspendMerchant: of(ofMerchant("suspend")),
    resumeMerchant: of(ofMerchant("resume")),
    /**
     * Lists live merchants whose name, icon or support contact waits for your approval, and the names of other partners
     * that they look like.
     */
    waitingMerchants: of(Merchants.listWaiting),
    /**
     * Approves the name, the icon and the support contact that you saw: payers see these, and the merchant takes live
     * payments.
     */
    approveMerchant: of(reading(whose, Merchants.approve)),
    /** Freezes a merchant: the service sends no payouts, refunds or returns for it. */
    freezeMerchant: of(ofMerchant("freeze")),
    unfreezeMerchant: of(ofMerchant("unfreeze")),
    /**
     * Sets the fees of a merchant's payments from now on; null restores its partner's fees. A part that is not named
     * stays.
     */
    setMerchantFees: of(reading(whose, setMerchantFees)),
    /** Renames a merchant. A name that you set needs no approval. */
    renameMerchant: of(reading(whose, Merchants.rename)),
    /** Sets when a merchant is paid out; null restores its partner's policy. */
    setMerchantPayouts: of(reading(whose, Merchants.setPayouts)),
    /** Makes a change of a merchant's destination take effect now. You name the account that you reviewed. */
    confirmDestination: of(reading(whose, Settlements.confirm)),
    /** Lists every change of a merchant's destinations, oldest first. */
    destinationHistory: of(reading(whose, Settlements.history)),
    /** What a merchant was owed, received and was paid out over whole days in UTC, per token. */
    merchantStatement: of(reading(whose, Statements.ofMerchant)),
    /** Shows the personal data that is stored for a payment's payers, or for an account (CAIP-10) in all payments. */
    showCollected: of(PersonalData.show),
    /** Exports the same data as JSON, to hand over. */
    exportCollected: of(PersonalData.exportData),
    /** Erases this data for good, with its keys; resolves with the number of erased records. */
    eraseCollected: of(PersonalData.erase),
    /** The audit log: what partners and operators wrote, the newest entries that match a filter. */
    auditLog: of(AuditLog.all),
    createWebhook: of(reading(whose, Events.createEndpoint)),
    listWebhooks: of(reading(whose, Events.listEndpoints)),
    disableWebhook: of(reading(whose, Events.disableEndpoint)),
    rotateWebhookSecret: of(reading(whose, Events.rotateSecret)),
    sealWebhookSecrets: of(Events.sealSecrets),
    /** Changes the named settings of a webhook endpoint. */
    changeWebhook: of(reading(whose, Events.changeEndpoint)),
    /** Sends a test event without data to this endpoint only. */
    testWebhook: of(reading(whose, Events.testEndpoint)),
    listDeliveries: of(reading(whose, listDeliveries)),
    replayDelivery: of(reading(whose, Events.replay)),
    /** Sends the events of a period again; resolves with their number. */
    replayDeliveries: of(reading(whose, Events.replayRange)),
  }
}

export type Operator = ReturnType<typeof make>
