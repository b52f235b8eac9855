/**
 * Everything that is stuck, oldest first, with what decides about it.
 *
 * @module
 */
import type * as Status from "@florin/api/wire/Status"
import { ActButton } from "../shell/Act.tsx"
import { Cards } from "../shell/Cards.tsx"
import { named } from "../shell/Messages.ts"
import { Record, State, Time } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link } from "../shell/Route.tsx"
import { Sentence } from "./Parts.tsx"
import { deed, Helps } from "./Remedies.tsx"
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

export const Screen = () => (
  <Cards<Status.Stuck, Item>
    title={texts.title}
    note={texts.note}
    actions={({ reload, value }) =>
      value?.stuck.some(isRetried) === true && (
        <ActButton act={deed("outflows.retryAll", {})} onDone={reload} />
      )
    }
    path="/stuck"
    rows={({ stuck }) => stuck}
    none={texts.none}
    card={(item, reload) => (
      <Record
        key={`${item.kind} ${item.id}`}
        title={
          <>
            <Link to={toOf(item)}>
              {named({ ...outflows.purposes, ...texts.kinds }, item.kind)}
            </Link>{" "}
            {item.amount !== null && <span class="amount">{Reader.amount(item.amount)}</span>}
          </>
        }
        mode={item.mode}
        pills={<State is={item.state} texts={texts.states} />}
        acts={item.remedy !== null && <Helps remedy={item.remedy} isFirst onDone={reload} />}
      >
        <Sentence text={item.message} />
        <p class="note">
          <code>{item.id}</code> · <Time at={item.since} />
        </p>
      </Record>
    )}
  />
)
