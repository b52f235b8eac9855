/**
 * What needs the operator, on the wire.
 *
 * @module
 */
import * as Payout from "@florin/core/domain/list/Payout"
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import * as Mode from "./Mode.ts"
import * as Text from "./Text.ts"

const parts = (description: string) => Schema.Array(Schema.String).annotate({ description })
const measured = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.NullOr(schema).annotate({ description })

export interface Remedy extends Schema.Schema.Type<typeof Remedy> {}
export const Remedy = Schema.Struct({
  command: Schema.String.annotate({
    description: "A command that helps",
    examples: ["florin chains resume eip155:8453"],
  }),
  operation: Schema.NullOr(Schema.String).annotate({
    description: "The operation of this API that does the same; null if only the command does it",
    examples: ["chains.resume"],
  }),
  request: Schema.JsonObject.annotate({
    description: "The parameters and the members of the body of that operation",
  }),
}).annotate({ identifier: "Remedy" })

export interface Finding extends Schema.Schema.Type<typeof Finding> {}
export const Finding = Schema.Struct({
  key: Schema.String.annotate({
    description: "Stays the same as long as it is the same problem, even if its numbers change",
    examples: ["chain_halted live eip155:8453"],
  }),
  finding: Schema.String.annotate({ description: "Its kind", examples: ["chain_halted"] }),
  part: Schema.String.annotate({ description: "The part of the service", examples: ["halts"] }),
  severity: Schema.Literals(["page", "ticket", "note"]).annotate({
    identifier: "FindingSeverity",
    description:
      "`page`: act immediately. `ticket`: act on the same day. `note`: it resolves by itself, or may be intended",
  }),
  message: Text.plain("What was found, where, and since when"),
  reading: measured(Schema.Finite, "What was measured; null if nothing is"),
  threshold: measured(Schema.Finite, "From where on a person must act; null if it is always so"),
  unit: measured(Schema.String, "The unit of both, such as seconds"),
  remedies: Schema.Array(Remedy).annotate({
    description: "Run them in this order. The last one decides",
  }),
  details: Schema.JsonObject.annotate({ description: "What was found, as data" }),
}).annotate({ identifier: "Finding" })

export interface Status extends Schema.Schema.Type<typeof Status> {}
export const Status = Schema.Struct({
  at: Text.dateTime,
  needsAttention: Schema.Boolean.annotate({ description: "Whether a person must act" }),
  findings: Schema.Array(Finding).annotate({
    description: "Those that need a person come first, and live money before test money",
  }),
  fine: parts("The parts that were read and have no findings"),
  skipped: parts("The parts that were not read, because the chains cannot be reached"),
}).annotate({ identifier: "Status" })

export interface Stuck extends Schema.Schema.Type<typeof Stuck> {}
export const Stuck = Schema.Struct({
  at: Text.dateTime,
  stuck: Schema.Array(
    Schema.Struct({
      kind: Schema.Literals([
        "chain",
        "token",
        ...Payout.Purpose.literals,
        "share",
        "unclaimed",
      ]).annotate({ identifier: "StuckKind" }),
      id: Text.plain(
        "The id of the outflow, of the unclaimed transfer, of the payment of a share, of the chain or of the token",
      ),
      mode: Mode.mode,
      partnerId: Schema.NullOr(Text.partnerId).annotate({
        description: "Null if it belongs to no partner",
      }),
      paymentIds: Schema.Array(Text.paymentId),
      amount: Schema.NullOr(Amount.Amount).annotate({ description: "Null for a chain or a token" }),
      state: Schema.Literals(["held", "waiting", "stopped"]).annotate({
        identifier: "StuckState",
        description:
          "`held`: it waits for you. `waiting`: the service retries it. `stopped`: nothing is sent until you resume it",
      }),
      reason: Schema.NullOr(Schema.String).annotate({
        description: "The reason in one word, as in an outflow; null if it has none",
        examples: ["paused"],
      }),
      message: Text.plain("Why it is stuck, and what to do"),
      since: Text.dateTime,
      remedy: Schema.NullOr(Remedy).annotate({
        description: "What decides about it; null if nothing has to",
      }),
    }).annotate({ identifier: "StuckItem" }),
  ).annotate({
    description: "Stopped chains and tokens, then outgoing money, then unclaimed money",
  }),
}).annotate({ identifier: "StuckItems" })
