/**
 * Everything that is stuck, live money first, with what decides about it.
 *
 * @module
 */
import type * as Status from "@florin/api/wire/Status"
import { ActButton } from "../shell/Act.tsx"
import { Listing } from "../shell/Listing.tsx"
import { named } from "../shell/Messages.ts"
import { Record, State, Time } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link } from "../shell/Route.tsx"
import { deed, help } from "./Findings.tsx"
import { inEnglish, liveFirst, Sentence } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

const { outflows, stuck: texts } = Texts.texts

type Item = Status.Stuck["stuck"][number]

/** Where the whole of it is shown. */
const toOf = ({ id, kind, paymentIds: [paymentId] }: Item): string => {
  if (kind === "chain" || kind === "token") return "/chains"
  if (kind === "unclaimed") return "/unclaimed"
  return kind === "share" ? `/payments/${paymentId ?? id}` : `/outflows/${id}`
}

const isRetried = ({ remedy }: Item): boolean => remedy?.operation === "outflows.retry"

const card = (item: Item) => {
  const amount = item.amount === null ? undefined : Reader.amount(item.amount)
  return (
    <Record
      title={
        <>
          <Link to={toOf(item)}>{named({ ...outflows.purposes, ...texts.kinds }, item.kind)}</Link>{" "}
          <span class="amount">{amount}</span>
        </>
      }
      mode={item.mode}
      head={<State is={item.state} texts={texts.states} />}
      acts={item.remedy !== null && help(item.remedy, true, amount)}
    >
      <Sentence text={item.message} />
      <p class="note">
        <code>{item.id}</code> · <Time at={item.since} />
      </p>
    </Record>
  )
}

export const Screen = () => (
  <Listing<Item, Status.Stuck>
    texts={texts}
    note={[texts.note, inEnglish()]}
    actions={({ rows = [] }) =>
      rows.some(isRetried) && <ActButton act={deed("outflows.retryAll", {})} />
    }
    path="/stuck"
    isWhole
    rowsOf={({ stuck }) => stuck.toSorted(liveFirst)}
    idOf={({ id, kind }) => `${kind} ${id}`}
    card={card}
  />
)
