/**
 * Reads members of a request to the operator's API.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Family from "@florin/core/domain/chain/Family"
import * as InflowId from "@florin/core/domain/chain/InflowId"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as Money from "@florin/core/domain/ground/Money"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Rfc3339 from "@florin/core/domain/ground/Rfc3339"
import type { Tenant } from "@florin/core/ports/AccountStore"
import { idReader, type NotFound } from "@florin/core/ports/StorageError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Operation from "./Operation.ts"

type Read<A> = Result.Result<A, Invalid.InvalidInput>

/** The refusal of a member of the request. */
export const invalid = (
  field: string,
  { message }: { readonly message: string },
): Invalid.InvalidInput => new Invalid.InvalidInput({ issues: [Invalid.issue(field, message)] })

/** Names the member of the request in a refusal. */
export const named = <A>(
  field: string,
  read: Result.Result<A, { readonly message: string }>,
): Read<A> => Result.mapError(read, (refusal) => invalid(field, refusal))

/** A member that may be left out. */
export const optional = <A>(
  text: string | undefined,
  read: (text: string) => Read<A>,
): Effect.Effect<A | undefined, Invalid.InvalidInput> =>
  text === undefined ? Effect.succeed(undefined) : Effect.fromResult(read(text))

/** A time in RFC 3339 format, in epoch milliseconds. */
export const time = (field: string, text: string): Read<number> => {
  const at = Rfc3339.read(text)
  return at === undefined ? Invalid.fail(field, Rfc3339.rule) : Result.succeed(at)
}

interface InMode {
  readonly mode?: Mode.Mode
}

/** The modes that a request is about: both if it names none. */
export const modes = ({ mode }: InMode): ReadonlyArray<Mode.Mode> =>
  mode === undefined ? Mode.Mode.literals : [mode]

/** What there is in the modes that a request is about. */
export const inModes = <A, E, R>(
  filter: InMode,
  list: (mode: Mode.Mode) => Effect.Effect<ReadonlyArray<A>, E, R>,
): Effect.Effect<ReadonlyArray<A>, E, R> =>
  Effect.map(Effect.forEach(modes(filter), list), (all) => all.flat())

/** An id in the path. Text that cannot be an id is treated like an unknown id. */
const inPath = <Id extends string>(what: NotFound["what"], schema: Schema.Codec<Id, string>) => {
  const read = idReader(what, schema)
  return ({ param }: Pick<Operation.OperatorCall, "param">): Effect.Effect<Id, NotFound> =>
    Effect.fromResult(read(param(`${what}Id`)))
}

export const idOfInflow = inPath("inflow", InflowId.InflowId)
export const idOfOutflow = inPath("outflow", OutflowId.OutflowId)
export const idOfPartner = inPath("partner", PartnerId.PartnerId)
export const idOfPayment = inPath("payment", PaymentId.PaymentId)

/** An id in a member of the request, or what is wrong with it. */
const id = <Id extends string>(field: string, schema: Schema.Codec<Id, string>, form: string) => {
  const isId = Schema.is(schema)
  return (text: string): Read<Id> =>
    isId(text) ? Result.succeed(text) : Invalid.fail(field, `must be the id of ${form}`)
}

export const partnerId = id("partnerId", PartnerId.PartnerId, "a partner, prtn_…")
export const merchantId = id("merchantId", MerchantId.MerchantId, "a merchant, mrch_…")

/** The partner and the mode of a call in this process. Untyped code may name another mode, or none. */
export const tenant = (given: { readonly partnerId: string; readonly mode: Mode.Mode }) =>
  Result.flatMap(partnerId(given.partnerId), (known): Read<Tenant> =>
    Mode.Mode.literals.includes(given.mode)
      ? Result.succeed({ partnerId: known, mode: given.mode })
      : Invalid.fail("mode", "must be live or test"),
  )

/** A token by its CAIP-19 id. */
export const asset = (field: string, text: string, catalog: Family.Known): Read<Caip.Token> =>
  named(field, Family.parseToken(catalog, text))

/** A quantity of a token, which is more than 0. */
export const tokens = (
  { unit, value }: Amount.Quantity,
  catalog: Family.Known,
): Read<{ readonly token: Caip.Token; readonly quantity: Money.Quantity }> =>
  Result.gen(function* () {
    const prefix = "caip19/"
    if (!unit.startsWith(prefix)) {
      return yield* Invalid.fail("amount.unit", "must be a token: caip19/eip155:8453/erc20:0x…")
    }
    const token = yield* asset("amount.unit", unit.slice(prefix.length), catalog)
    const quantity = yield* named("amount.value", Money.parse(value))
    return quantity > 0n
      ? { token, quantity }
      : yield* Invalid.fail("amount.value", "must be more than 0")
  })

/** An account on the chain of a token, by its CAIP-10 id. */
export const accountOn = (
  field: string,
  text: string,
  { chainId }: Caip.Token,
  catalog: Family.Known,
): Read<Caip.Address> =>
  Result.flatMap(named(field, Family.parseAccount(catalog, text)), (account) =>
    account.chainId === chainId
      ? Result.succeed(account.address)
      : Invalid.fail(field, "must be on the chain of the token"),
  )
