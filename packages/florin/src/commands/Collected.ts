/**
 * `florin collected`: the data that payers gave about themselves, for an operator who must respond to their requests.
 *
 * @module
 */
import * as Family from "@florin/core/domain/chain/Family"
import type * as Invalid from "@florin/core/domain/ground/Invalid"
import * as CollectData from "@florin/core/domain/payment/CollectData"
import * as PersonalData from "@florin/core/engine/PersonalData"
import { Assets } from "@florin/core/ports/Assets"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Access from "../storage/Access.ts"
import * as VaultAccess from "../storage/VaultAccess.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

const of = Argument.String("id").pipe(
  Argument.withMetavar("paymentId|account"),
  Argument.withDescription(
    "A payment (pay_…), or an account in all its payments (eip155:8453:0x…)",
  ),
)

const refuse = ({ message }: Invalid.InvalidInput) => Failure.make(message)

const count = (records: number): string => (records === 1 ? "1 record" : `${records} records`)

const print = (
  { account, data, deleteAt, payment }: PersonalData.StoredData,
  known: Family.Known,
): void => {
  Terminal.heading(payment.id)
  Terminal.fact("account", Family.formatAccount(known, account))
  Terminal.fact("deleted on", Time.iso(deleteAt))
  if (data === null) {
    return Terminal.fact("data", "the vault cannot decrypt it: add its key to FLORIN_VAULT_KEY")
  }
  for (const { id, name } of CollectData.fields) {
    const value = Object.entries(data).find(([field]) => field === id)?.[1] ?? null
    if (value !== null) Terminal.fact(name, Printable.from(value.toString()))
  }
}

const show = Command.make(
  "show",
  { of, ...Access.placeFlags },
  Effect.fnUntraced(function* (options) {
    const { catalog, stored } = yield* Effect.gen(function* () {
      return { stored: yield* PersonalData.show(options.of), catalog: yield* Assets }
    }).pipe(
      Effect.catchTag("InvalidInput", refuse),
      Effect.provide(VaultAccess.layer(options)),
      Access.inStorage(options, "florin collected show"),
    )
    if (stored.length === 0) Terminal.plain("No data is stored.")
    for (const each of stored) print(each, catalog)
  }),
).pipe(
  Command.withDescription(
    "Show the personal data that payers gave, of one payment or of one account, and until when it is stored. `collected export` prints it as JSON. The audit log records that you looked. Set FLORIN_VAULT_KEY to the value that florin serve uses.",
  ),
  Command.withShortDescription("Show payers' personal data"),
  Command.withExamples([{ command: "florin collected show pay_…" }]),
)

const exporting = Command.make(
  "export",
  { of, ...Access.placeFlags },
  Effect.fnUntraced(function* (options) {
    const records = yield* PersonalData.exportData(options.of).pipe(
      Effect.catchTag("InvalidInput", refuse),
      Effect.provide(VaultAccess.layer(options)),
      Access.inStorage(options, "florin collected export"),
    )
    Terminal.json(records)
  }),
).pipe(
  Command.withDescription(
    "Print the personal data that payers gave as JSON, together with its payments. The audit log records the export. Set FLORIN_VAULT_KEY to the value that florin serve uses.",
  ),
  Command.withShortDescription("Print payers' personal data as JSON"),
  Command.withExamples([{ command: "florin collected export eip155:8453:0x… > payer.json" }]),
)

const erase = Command.make(
  "erase",
  { of, ...Access.flags },
  Effect.fnUntraced(function* (options) {
    const erased = yield* PersonalData.erase(options.of).pipe(
      Effect.catchTag("InvalidInput", refuse),
      Access.inStorage(options, "florin collected erase"),
    )
    if (options.json) return Terminal.json({ erased })
    Terminal.writeSuccess(
      erased === 0 ? "No data is stored." : `Erased ${count(erased)}, with their keys.`,
    )
  }),
).pipe(
  Command.withDescription(
    "Erase the personal data that payers gave, together with the key of each record. A backup without these keys cannot be read. The payments stay. The audit log records the erasure.",
  ),
  Command.withShortDescription("Erase payers' personal data"),
  Command.withExamples([{ command: "florin collected erase pay_…" }]),
)

export const command = Command.make("collected").pipe(
  Command.withDescription(
    "Show, export and erase the personal data that payers gave. The service deletes each record after retentionDays.",
  ),
  Command.withSubcommands([show, exporting, erase]),
)
