/**
 * Transfers that wait for the operator's own money, with what their account lacks.
 *
 * @module
 */
import type * as Outflow from "@florin/api/wire/Outflow"
import { Code, Empty, Fact, Facts, Head } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link } from "../shell/Route.tsx"
import { ModePill, Record, Shown, useRead } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

export const Screen = () => {
  const { outflows, short: texts } = Texts.texts()
  const read = useRead<Outflow.Short>("/outflows/short")
  return (
    <>
      <Head
        title={texts.title}
        note={texts.note}
        back={{ to: "/outflows", name: outflows.title }}
      />
      <Shown of={read}>
        {({ short }) =>
          short.length === 0 ? (
            <Empty {...texts.none} />
          ) : (
            <ul class="findings">
              {short.map(({ missing, outflow }) => (
                <li key={outflow.id}>
                  <Record
                    title={texts.lacks(
                      Reader.amount({ ...missing, display: outflow.amount.display }),
                    )}
                    actions={<ModePill mode={outflow.mode} />}
                  >
                    <Facts>
                      <Fact name={outflows.purpose}>
                        <Link to={`/outflows/${outflow.id}`}>
                          {Texts.purposeOf(outflow.purpose)} {Reader.amount(outflow.amount)}
                        </Link>
                      </Fact>
                      <Fact name={outflows.from}>
                        <Code name={outflows.from} text={outflow.from} />
                      </Fact>
                    </Facts>
                    <Link
                      class="button quiet"
                      to={`/accounts/put?${new URLSearchParams({ mode: outflow.mode, account: outflow.from, unit: missing.unit })}`}
                    >
                      {texts.bring}
                    </Link>
                  </Record>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </>
  )
}
