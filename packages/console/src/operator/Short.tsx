/**
 * Transfers that wait for the operator's own money, with what their account lacks.
 *
 * @module
 */
import type * as Outflow from "@florin/api/wire/Outflow"
import { useRead } from "../shell/Api.ts"
import { codeFact, Head, Record } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link } from "../shell/Route.tsx"
import { Records } from "../shell/Shown.tsx"
import * as Texts from "./Texts.ts"

const { outflows, short: texts } = Texts.texts

export const Screen = () => {
  const read = useRead<Outflow.Short>("/outflows/short")
  const back = { to: "/outflows", name: outflows.title }
  return (
    <>
      <Head title={texts.title} note={texts.note} back={back} />
      <Records of={read} rows={({ short }) => short} empty={texts.none}>
        {({ missing, outflow: { amount, from, id, mode, purpose } }) => (
          <Record
            key={id}
            title={texts.lacks(Reader.amount({ ...missing, display: amount.display }))}
            mode={mode}
            facts={[
              [
                outflows.purpose,
                <Link to={`/outflows/${id}`}>
                  {outflows.purposes[purpose]} {Reader.amount(amount)}
                </Link>,
              ],
              codeFact(outflows.from, from),
            ]}
            acts={
              <Link
                class="button quiet"
                to={`/accounts/put?${new URLSearchParams({ mode, account: from, unit: missing.unit })}`}
              >
                {texts.bring}
              </Link>
            }
          />
        )}
      </Records>
    </>
  )
}
