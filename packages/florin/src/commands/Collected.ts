/**
 * `florin collected`: the data that payers gave about themselves, for an operator who must respond to their requests.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/PersonalData"
import * as CollectData from "@florin/core/domain/payment/CollectData"
import * as OperatorCommand from "../operator/Command.ts"
import * as Described from "../terminal/Described.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

const make = OperatorCommand.of(Contract.group)

export const command = Described.group(
  "collected",
  "Show, export and erase the personal data that payers gave. The service deletes each record after retentionDays.",
  [
    make("show", "show", {
      args: ["of"],
      print: ({ records }) => {
        if (records.length === 0) Terminal.plain("No data is stored.")
        for (const { account, data, deleteAt, paymentId } of records) {
          Terminal.heading(paymentId)
          Terminal.fact("account", account)
          Terminal.fact("deleted on", Time.second(deleteAt))
          if (data === null) {
            Terminal.fact("data", "the vault cannot decrypt it: add its key to FLORIN_VAULT_KEY")
          }
          for (const { id, name } of CollectData.fields) {
            const value = Object.entries(data ?? {}).find(([field]) => field === id)?.[1] ?? null
            if (value !== null) Terminal.fact(name, Printable.from(value.toString()))
          }
        }
      },
    }),
    make("export", "export", {
      args: ["of"],
      print: Terminal.json,
      examples: ["florin collected export eip155:8453:0x… > payer.json"],
    }),
    make("erase", "erase", {
      args: ["of"],
      done: ({ erased }) =>
        erased === 0
          ? "No data is stored."
          : `Erased ${Printable.counted(erased, "record")}, with their keys.`,
    }),
  ],
)
