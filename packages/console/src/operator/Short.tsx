/**
 * Transfers that wait for the operator's own money, with what their account lacks.
 *
 * @module
 */
import type * as Outflow from "@florin/api/wire/Outflow"
import { Cards } from "../shell/Cards.tsx"
import { named } from "../shell/Messages.ts"
import { at } from "../shell/Path.ts"
import { ButtonLink, codeFact, Record } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link } from "../shell/Route.tsx"
import * as Texts from "./Texts.ts"

const { outflows, short: texts } = Texts.texts

type Item = Outflow.Short["short"][number]

const putPath = ({ missing, outflow: { from, mode } }: Item): string =>
  at`/accounts/put?mode=${mode}&account=${from}&unit=${missing.unit}`

export const Screen = () => (
  <Cards<Outflow.Short, Item>
    title={texts.title}
    note={texts.note}
    back={{ to: "/outflows", name: outflows.title }}
    path="/outflows/short"
    rows={({ short }) => short}
    none={texts.none}
    card={(item) => {
      const { amount, from, id, mode, purpose } = item.outflow
      return (
        <Record
          key={id}
          title={texts.lacks(Reader.amount({ ...item.missing, display: amount.display }))}
          mode={mode}
          facts={[
            [
              outflows.purpose,
              <Link to={`/outflows/${id}`}>
                {named(outflows.purposes, purpose)} {Reader.amount(amount)}
              </Link>,
            ],
            codeFact(outflows.from, from),
          ]}
          acts={<ButtonLink to={putPath(item)} name={texts.bring} />}
        />
      )
    }}
  />
)
