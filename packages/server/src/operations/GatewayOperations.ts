/**
 * The gateway over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/groups/Gateway"
import * as Gateway from "@florin/core/engine/payment/Gateway"
import * as LongPoll from "@florin/core/engine/payment/LongPoll"
import { Settings } from "@florin/core/ports/Settings"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as ApiShape from "../edge/ApiShape.ts"
import * as OptionView from "../views/OptionView.ts"
import * as PaymentView from "../views/PaymentView.ts"
import * as Cancellation from "./Cancellation.ts"
import * as Operation from "./Operation.ts"
import * as Path from "./Path.ts"

export const gateway = Operation.gateway(Contract.group, {
  get: Effect.fnUntraced(function* (call) {
    const id = yield* Path.linkedPaymentId(call)
    return PaymentView.info(yield* Gateway.info(call.caller, id), call.display)
  }),

  options: Effect.fnUntraced(function* (call, { accounts, refresh }) {
    const { includeCosts = false, includePaymentInfo = false } = call.query
    const id = yield* Path.linkedPaymentId(call)
    yield* call.takeAccounts(id, accounts.length)
    const settings = yield* Settings
    const response = yield* Gateway.options(call.caller, id, {
      accounts,
      refresh: refresh ?? [],
      includePaymentInfo,
      includeCosts,
    })
    return OptionView.options(response, id, settings, call.display)
  }),

  fetch: Effect.fnUntraced(function* (call, { data, optionId }) {
    const id = yield* Path.linkedPaymentId(call)
    const actions = yield* Gateway.fetch(call.caller, id, {
      optionId,
      data,
      requiresData: ApiShape.rulesOf(call.apiShape).fetchRequiresData,
    })
    return { actions: actions.map(OptionView.walletRpc) }
  }),

  confirm: (call, body) =>
    Path.linkedPaymentId(call).pipe(
      Effect.flatMap((id) =>
        Gateway.confirm(call.caller, id, {
          optionId: body.optionId,
          results: body.results,
          collectedData: body.collectedData ?? undefined,
          excludeFromRelayer: body.excludeFromRelayer === true,
        }),
      ),
      Effect.tap(call.endWork),
      Effect.flatMap((payment) => LongPoll.untilFinal(payment, call.query.maxPollMs ?? 0)),
      Effect.flatMap((payment) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          PaymentView.confirmResponse(payment, now, call.display),
        ),
      ),
    ),

  // Wallets poll this: combinators cost a fifth of a generator that is made for each call.
  status: (call) =>
    Path.linkedPaymentId(call).pipe(
      Effect.flatMap((id) => Gateway.status(call.caller, id, call.query.maxPollMs ?? 0)),
      Effect.flatMap((payment) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          PaymentView.status(payment, now, call.display),
        ),
      ),
    ),

  cancel: Effect.fnUntraced(function* (call) {
    const id = yield* Path.linkedPaymentId(call)
    return yield* Cancellation.show(call, Gateway.cancel(call.caller, id))
  }),
})
