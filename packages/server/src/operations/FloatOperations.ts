/**
 * The operator's own money over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Float"
import type * as Wire from "@florin/api/wire/Float"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import type * as Mode from "@florin/core/domain/ground/Mode"
import type * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as Idempotency from "@florin/core/domain/partner/Idempotency"
import * as Float from "@florin/core/engine/books/Float"
import * as Effect from "effect/Effect"
import * as AmountView from "../views/AmountView.ts"
import * as Operation from "./Operation.ts"
import * as Read from "./Read.ts"
import * as Records from "./Records.ts"

/** Records a movement that happened without the service. */
const record = (write: typeof Float.put | typeof Float.take) =>
  Effect.fnUntraced(function* ({ display }: Operation.OperatorCall, body: Wire.Moved) {
    const { account, amount, mode } = body
    const { quantity, token } = yield* Effect.fromResult(Read.tokens(amount, display.catalog))
    const collecting = yield* Effect.fromResult(
      Read.accountOn("account", account, token, display.catalog),
    )
    const key = yield* Effect.fromResult(Read.named("key", Idempotency.parseKey(body.key)))
    yield* write(mode, { key, token, collecting, quantity })
    return { ...body, amount: AmountView.ofToken({ token, quantity }, display) }
  })

/** Has a worker send the operator's own money. */
const send = <E, R>(
  order: (mode: Mode.Mode, going: Transfer.Movement) => Effect.Effect<OutflowId.OutflowId, E, R>,
) =>
  Effect.fnUntraced(function* ({ display }: Operation.OperatorCall, body: Wire.SendRequest) {
    const { amount, mode } = body
    const { quantity, token } = yield* Effect.fromResult(Read.tokens(amount, display.catalog))
    const from = yield* Effect.fromResult(Read.accountOn("from", body.from, token, display.catalog))
    const to = yield* Effect.fromResult(Read.accountOn("to", body.to, token, display.catalog))
    const id = yield* order(mode, { token, from, to, quantity })
    return yield* Records.outflow(id, display)
  })

export const operator = Operation.operator(Contract.group, {
  put: record(Float.put),
  take: record(Float.take),
  move: send(Float.move),
  withdraw: send(Float.withdraw),

  cancel: Records.acting(Float.cancel),
})
