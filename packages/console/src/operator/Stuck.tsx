/**
 * Everything that is stuck, oldest first, with what decides about it.
 *
 * @module
 */
import type * as Status from "@florin/api/wire/Status"
import { Empty, Head, Pill, Time } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link } from "../shell/Route.tsx"
import { Act } from "./Act.tsx"
import { ModePill, Sentence, Shown, useRead } from "./Parts.tsx"
import { deed, Helps } from "./Remedies.tsx"
import * as Texts from "./Texts.ts"

type Item = Status.Stuck["stuck"][number]

const tones = { held: "bad", waiting: "caution", stopped: "bad" } as const

/** Where the whole of it is shown. */
const toOf = ({ id, kind, paymentIds: [paymentId] }: Item): string => {
  if (kind === "chain" || kind === "token") return "/chains"
  if (kind === "unclaimed") return "/unclaimed"
  return kind === "share" ? `/payments/${paymentId ?? id}` : `/outflows/${id}`
}

export const Screen = () => {
  const { stuck: texts } = Texts.texts()
  const read = useRead<Status.Stuck>("/stuck")
  return (
    <>
      <Head title={texts.title} note={texts.note}>
        {read.value?.stuck.some(({ remedy }) => remedy?.operation === "outflows.retry") ===
          true && <Act deed={deed("outflows.retryAll", {})} isQuiet onDone={read.reload} />}
      </Head>
      <Shown of={read}>
        {({ stuck }) =>
          stuck.length === 0 ? (
            <Empty {...texts.none} />
          ) : (
            <ul class="findings">
              {stuck.map((item) => (
                <li key={`${item.kind} ${item.id}`} class="card">
                  <div class="cardHead">
                    <h2>
                      <Link to={toOf(item)}>{Texts.kindOf(item.kind)}</Link>{" "}
                      {item.amount !== null && (
                        <span class="amount">{Reader.amount(item.amount)}</span>
                      )}
                    </h2>
                    <span class="actions">
                      <ModePill mode={item.mode} />
                      <Pill tone={tones[item.state]}>{texts.states[item.state]}</Pill>
                    </span>
                  </div>
                  <p class="finding">
                    <Sentence text={item.message} />
                  </p>
                  <p class="note">
                    <code>{item.id}</code> · <Time at={item.since} />
                  </p>
                  {item.remedy !== null && (
                    <div class="actions">
                      <Helps remedy={item.remedy} isFirst onDone={read.reload} />
                    </div>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </>
  )
}
