/**
 * The endpoints of the interface, as patterns of `GET /v1/payments/pay_1?maxPollMs=7`.
 *
 * @module
 */
import { api } from "@florin/api/Api"
import * as Context from "effect/Context"
import * as OpenApi from "effect/http-api/OpenApi"

export const endpoints = (of: (group: string) => boolean): ReadonlyArray<RegExp> =>
  Object.values(api.groups)
    .filter(({ identifier }) => of(identifier))
    .flatMap(({ endpoints: all }) => Object.values(all))
    .filter(({ annotations }) => Context.getOrUndefined(annotations, OpenApi.Deprecated) !== true)
    .map(
      ({ method, path }) =>
        new RegExp(`^${method} ${path.replaceAll(/:\w+/gu, "[^/?]+")}(?:\\?|$)`, "u"),
    )
