/**
 * The operator's port of a service, or its public one, with the console on it, in a session as people have it.
 *
 * @module
 */
import { createServer } from "node:http"
import * as Site from "@florin/console"
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Confusables from "@florin/server/Confusables"
import { EdgeSettings } from "@florin/server/EdgeSettings"
import { Handler } from "@florin/server/Handler"
import * as NodeListener from "@florin/server/NodeListener"
import * as OperatorHandler from "@florin/server/OperatorHandler"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type * as Service from "./Service.ts"

export interface OperatorConsole {
  readonly url: string
  /** A link that signs a person in. */
  readonly link: (person: string, scopes: ReadonlyArray<ApiKey.Scope>) => Promise<string>
  readonly close: () => Promise<void>
}

export const start = async (
  { florin, partnerId }: Pick<Service.Service, "florin" | "partnerId">,
  face: "operator" | "partner" = "operator",
): Promise<OperatorConsole> => {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const address = server.address()
  // Passkeys are bound to a name.
  const url = `http://localhost:${typeof address === "object" && address !== null ? address.port : 0}`
  const edge = Layer.succeed(EdgeSettings, {
    accountsLimit: null,
    allowedOrigins: [],
    apps: new Map(),
    console: { ...Site.load(), version: "0.1.0" },
    exampleKeys: () => null,
    fieldVersionHeaders: [],
    legacyList: false,
    log: null,
    metrics: false,
    operatorUrl: () => url,
    pages: null,
    proxyHeader: null,
    publicUrl: face === "operator" ? florin.publicUrl : url,
    rateLimit: null,
  })
  const scope = Scope.makeUnsafe()
  const handlers =
    face === "operator"
      ? OperatorHandler.layer
      : Layer.fresh(Layer.provide(Handler.layer, Confusables.layer))
  const handler = await florin.run(
    Layer.build(Layer.provide(handlers, edge)).pipe(Scope.provide(scope)),
  )
  server.on(
    "request",
    NodeListener.requestListener({ run: (effect) => florin.run(Effect.provide(effect, handler)) }),
  )
  return {
    url,
    link: async (person, scopes) => {
      const { secret } = await florin.operator.keys.issue({
        ...(face === "operator" ? { operator: person } : { partnerId, mode: "live", name: person }),
        scopes,
        use: "sign_in",
      })
      return `${url}/console#sign-in=${secret}`
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}
