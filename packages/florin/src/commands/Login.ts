/**
 * `florin login`: a link that signs a person in to the console, once.
 *
 * @module
 */
import type { Carry } from "@florin/api/operator/Call"
import * as Contract from "@florin/api/operator/Keys"
import type * as Wire from "@florin/api/wire/Key"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as Role from "@florin/core/domain/partner/Role"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Holder from "../access/Holder.ts"
import * as Place from "../access/Place.ts"
import * as SystemUser from "../access/SystemUser.ts"
import * as OperatorCommand from "../operator/Command.ts"
import * as Reach from "../operator/Reach.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Hint from "../terminal/Hint.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

const takes = {
  name: Flags.optionalString(
    "name",
    "NAME",
    "Name of the person: the audit log records it (default: your user name)",
  ),
  partner: Flags.optionalString(
    "partner",
    "ID",
    "Sign in to the console of this partner, instead of the operator's",
  ),
  mode: Flags.optionalChoice("mode", Mode.Mode.literals, "Mode that a partner's console shows"),
  role: Flags.optionalChoice(
    "role",
    Role.Role.literals,
    "What the person may do (default: admin, and viewer with --partner)",
  ),
  scopes: Flags.optionalString("scopes", "LIST", "Instead of --role: scopes, such as read,support"),
}

/** Only the link goes to standard output, so that a script can read it from there. */
const print = ({ key, link, secret }: Wire.OwnedWithSecret): void => {
  Terminal.result(link ?? secret)
  if (link === undefined) {
    Terminal.aside(
      "This service does not know where its console is: start florin serve with --operator-port or --operator-url. Until then, open its address with /console#sign-in= and this key.",
    )
  }
  Terminal.aside(
    `It signs in once, until ${key.validUntil === null ? "revoked" : Time.second(key.validUntil)}. Scopes: ${key.scopes.join(", ")}. The session lasts 12 hours.`,
  )
  Terminal.aside(`Revoke both with: ${Hint.pasteable(`florin keys revoke ${key.id}`)}`)
}

/** Issues the operator no key for signing in if the service here has no console. */
const open = Effect.fnUntraced(function* (options: Reach.Options) {
  const carry = yield* Reach.open(options)
  const place = yield* Effect.fromResult(Place.parse(options))
  if (place._tag === "Memory" || (yield* Reach.elsewhere(options)) !== undefined) return carry
  const { hasConsole, isOperatorOnly } = Option.getOrElse(Holder.find(place), () => ({
    hasConsole: true,
    isOperatorOnly: false,
  }))
  const start = isOperatorOnly ? "florin serve --operator-only" : "florin serve"
  const guarded: Carry = (call) =>
    hasConsole || call.members["operator"] === undefined
      ? carry(call)
      : Promise.reject(
          new Error(
            `the service in ${Place.whereOf(place)} has no console: start it as \`${start} --operator-port 3001\``,
          ),
        )
  return guarded
})

const { of } = OperatorCommand.over({
  flags: Reach.flags,
  open,
  failureOf: OperatorCommand.failureOf,
})

export const command = of(Contract.group)("login", "issue", {
  description:
    "Print a link that signs one person in to the console, once, within 15 minutes. Without --partner it is the operator's console, on the operator's port. Only the link goes to standard output.",
  omits: "all",
  takes,
  members: Effect.fnUntraced(function* ({ mode, name, partner, role, scopes }) {
    yield* Flags.refuseTogether({ role: Option.isSome(role), scopes: Option.isSome(scopes) })
    const person = Option.getOrElse(name, () => SystemUser.name() ?? "operator")
    const isOperator = Option.isNone(partner)
    return {
      use: "sign_in",
      name: person,
      ...(isOperator ? { operator: person } : { partnerId: partner.value }),
      ...(Option.isSome(mode) && { mode: mode.value }),
      ...(Option.isSome(scopes)
        ? { scopes: scopes.value.split(",").map((each) => each.trim()) }
        : { role: Option.getOrElse(role, () => (isOperator ? "admin" : "viewer")) }),
    }
  }),
  print,
  examples: [
    "florin login",
    "florin login --name Ada --scopes read,support",
    "florin login --partner prtn_… --mode live --role finance --name Bob",
  ],
})
