/**
 * `florin collected`: what payers told about themselves, for an operator who must answer to them.
 *
 * @module
 */
import * as CollectData from "@florin/core/domain/CollectData"
import * as Family from "@florin/core/domain/Family"
import type * as Invalid from "@florin/core/domain/Invalid"
import * as PersonalData from "@florin/core/engine/PersonalData"
import { Assets } from "@florin/core/ports/Assets"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Access from "../access/Access.ts"
import * as VaultAccess from "../access/VaultAccess.ts"
import * as Failure from "../Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Terminal from "../terminal/Terminal.ts"

const of = Argument.String("of").pipe(
  Argument.withMetavar("paymentId|account"),
  Argument.withDescription("A payment (pay_…), or an account in all payments (eip155:8453:0x…)"),
)

const refuse = ({ message }: Invalid.InvalidInput) => new Failure.CommandFailed({ message })

const count = (records: number): string => (records === 1 ? "1 record" : `${records} records`)

const print = (
  { account, data, deleteAt, payment }: PersonalData.Told,
  known: Family.Known,
): void => {
  Terminal.heading(payment.id)
  Terminal.fact("account", Family.formatAccount(known, account))
  Terminal.fact("deleted on", DateTime.formatIso(DateTime.makeUnsafe(deleteAt)))
  if (data === null) {
    return Terminal.fact("data", "the vault cannot open it: add its key to FLORIN_VAULT_KEY")
  }
  for (const { id, name } of CollectData.fields) {
    const value = Object.entries(data).find(([field]) => field === id)?.[1] ?? null
    if (value !== null) Terminal.fact(name, Printable.from(value.toString()))
  }
}

const show = Command.make(
  "show",
  { of, ...Access.flags },
  Effect.fnUntraced(function* (options) {
    const { catalog, told } = yield* Effect.gen(function* () {
      return { told: yield* PersonalData.show(options.of), catalog: yield* Assets }
    }).pipe(
      Effect.catchTag("InvalidInput", refuse),
      Effect.provide(VaultAccess.layer(options)),
      Access.inStorage(options, "florin collected show"),
    )
    if (told.length === 0) Terminal.plain("Nothing is kept.")
    for (const each of told) print(each, catalog)
  }),
).pipe(
  Command.withDescription(
    "Show what payers told about themselves and until when it is kept, of one payment or of an account. `collected export` prints it as JSON. It is in the audit log that you looked. FLORIN_VAULT_KEY opens it, as florin serve has it.",
  ),
  Command.withShortDescription("Show what payers told"),
  Command.withExamples([{ command: "florin collected show pay_…" }]),
)

const exporting = Command.make(
  "export",
  { of, ...Access.flags },
  Effect.fnUntraced(function* (options) {
    const records = yield* PersonalData.exported(options.of).pipe(
      Effect.catchTag("InvalidInput", refuse),
      Effect.provide(VaultAccess.layer(options)),
      Access.inStorage(options, "florin collected export"),
    )
    Terminal.json(records)
  }),
).pipe(
  Command.withDescription(
    "Print what payers told about themselves as JSON, with the payments that it belongs to, to hand it over. It is in the audit log. FLORIN_VAULT_KEY opens it, as florin serve has it.",
  ),
  Command.withShortDescription("Print what payers told as JSON"),
  Command.withExamples([{ command: "florin collected export eip155:8453:0x… > payer.json" }]),
)

const erase = Command.make(
  "erase",
  { of, ...Access.flags, json: Flags.json },
  Effect.fnUntraced(function* (options) {
    const erased = yield* PersonalData.erase(options.of).pipe(
      Effect.catchTag("InvalidInput", refuse),
      Access.inStorage(options, "florin collected erase"),
    )
    if (options.json) return Terminal.json({ erased })
    Terminal.done(erased === 0 ? "Nothing is kept." : `Erased ${count(erased)}, with their keys.`)
  }),
).pipe(
  Command.withDescription(
    "Erase what payers told about themselves, with the key of each record: a backup without these keys tells nothing of it. The payments stay. It is in the audit log.",
  ),
  Command.withShortDescription("Erase what payers told"),
  Command.withExamples([{ command: "florin collected erase pay_…" }]),
)

export const command = Command.make("collected").pipe(
  Command.withDescription(
    "What payers told about themselves. Each record is deleted by itself after retentionDays.",
  ),
  Command.withSubcommands([show, exporting, erase]),
)
