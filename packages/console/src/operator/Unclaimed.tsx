/**
 * Transfers to the service's accounts that belong to no payment: found by their transaction, and returned.
 *
 * @module
 */
import type * as Inflow from "@florin/api/wire/Inflow"
import { type Act, ActButton } from "../shell/Act.tsx"
import type { Filter } from "../shell/Filter.ts"
import { idFact } from "../shell/Id.tsx"
import { Listing } from "../shell/Listing.tsx"
import { at } from "../shell/Path.ts"
import { Card, codeFact, line, ModePill, Record, State, Time } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { usePlace } from "../shell/Route.tsx"
import { deed } from "./Findings.tsx"
import { modeFilter, Words } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

const { deeds, unclaimed: texts, words } = Texts.texts

const card = (inflow: Inflow.Inflow) => {
  const { amount, foundAt, from, id, mode, obstacle, paymentId, state, to, txId } = inflow
  const about = Reader.amount(amount)
  const act: Act = {
    ...deed("inflows.return", { inflowId: id }),
    name: deeds["inflows.return"].name,
    action: texts.giveBack(about),
    isDangerous: true,
    body: [
      texts.returns(about),
      <p>
        <code>{from}</code>
      </p>,
      <p class="note">{deeds["inflows.return"].body}</p>,
    ],
  }
  return (
    <Record
      title={about}
      mode={mode}
      head={<State is={state} texts={texts.states} />}
      facts={[
        [words.network, amount.display.networkName],
        codeFact(texts.from, from),
        codeFact(texts.to, to),
        codeFact(words.transaction, txId),
        idFact(texts.reportedFor, paymentId),
        [texts.found, <Time at={foundAt} />],
        [texts.obstacle, obstacle !== null && <Words text={obstacle} />],
      ]}
      acts={state === "suspended" && obstacle === null && <ActButton act={act} />}
    />
  )
}

type Found = Inflow.Brought & Partial<Inflow.List>

const othersOf = ({ others = [] }: Found) =>
  others.length > 0 && (
    <Card
      title={texts.others}
      lines={others.map(({ amount, count, mode }) =>
        line(
          [texts.transfers(count), " ", <ModePill mode={mode} />],
          `${Reader.amount(amount)} · ${amount.display.networkName ?? ""}`,
        ),
      )}
    />
  )

/** The transfers of one transaction, or all of them. */
export const Screen = () => {
  const txId = usePlace().query.get("tx") ?? ""
  const isOne = txId !== ""
  const search: Filter = { name: "tx", kind: "text", label: texts.byTransaction, isLocal: true }
  return (
    <Listing<Inflow.Inflow, Found>
      texts={isOne ? { ...texts, noMatch: texts.noneOf } : texts}
      path={isOne ? at`/transactions/${txId}/inflows` : "/inflows"}
      isWhole
      filters={isOne ? [search] : [search, modeFilter()]}
      rowsOf={({ inflows }) => inflows}
      card={card}
      below={othersOf}
    />
  )
}
