/**
 * One merchant of any partner: what stops it, and where its money goes.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import type * as Settlement from "@florin/api/wire/Settlement"
import { type Act, ActButton } from "../shell/Act.tsx"
import { useRead } from "../shell/Api.ts"
import type { Params } from "../shell/Face.ts"
import {
  Card,
  Code,
  codeFact,
  Facts,
  foreign,
  Lines,
  linkFact,
  ModePill,
  Pill,
  Time,
} from "../shell/Pieces.tsx"
import { Detail, Shown } from "../shell/Problem.tsx"
import * as Reader from "../shell/Reader.ts"
import { at, Link } from "../shell/Route.tsx"
import { Timeline } from "../shell/Timeline.tsx"
import { approval } from "./Approvals.tsx"
import { MeasureActs, MeasurePills } from "./Measures.tsx"
import { feesText } from "./Partners.tsx"
import * as Texts from "./Texts.ts"

type One = Merchant.OwnedProfile
type Destination = One["settlements"]["crypto"][number]

/** Puts a changed destination into effect before its delay ends. */
const confirmation = (id: string, { destination, id: settlementId }: Destination): Act => {
  const { merchant: texts } = Texts.texts()
  return {
    scope: "admin",
    title: texts.confirm,
    action: texts.confirm,
    said: texts.confirmed,
    isDangerous: true,
    path: at`/merchants/${id}/settlements/${settlementId}/confirm`,
    request: { destination },
    body: (
      <>
        <p>{texts.confirmQuestion}</p>
        <p>
          <code>{destination}</code>
        </p>
      </>
    ),
  }
}

const Destinations = ({
  merchant: { id, settlements },
  onDone,
}: {
  readonly merchant: One
  readonly onDone: () => void
}) => {
  const { merchant: texts } = Texts.texts()
  if (settlements.crypto.length === 0) return <p class="note">{texts.noDestination}</p>
  return (
    <Lines
      of={settlements.crypto.map((settlement) => (
        <>
          <span>
            <Code name={texts.destination} text={settlement.destination} />
            <span class="note">
              {" "}
              <code>{Reader.short(settlement.asset)}</code>
            </span>
          </span>
          {settlement.takesEffectAt !== undefined && (
            <span class="actions">
              <Pill tone="caution">{texts.from(Reader.time(settlement.takesEffectAt))}</Pill>
              <ActButton act={confirmation(id, settlement)} onDone={onDone} />
            </span>
          )}
        </>
      ))}
    />
  )
}

const History = ({ path }: { readonly path: string }) => {
  const { merchant: texts } = Texts.texts()
  const read = useRead<Settlement.History>(`${path}/settlements/history`, {}, false)
  return (
    <Shown of={read}>
      {({ changes }) =>
        changes.length > 0 && (
          <Card title={texts.history}>
            <Timeline
              steps={changes.map(({ createdAt, from, settlementId, takesEffectAt, to }) => ({
                key: `${createdAt} ${settlementId}`,
                at: createdAt,
                tone:
                  takesEffectAt !== null && Date.parse(takesEffectAt) > Date.now() ? "now" : "done",
                title:
                  to === null ? texts.deleted : from === null ? texts.registered : texts.changed,
                body: (
                  <>
                    {from !== null && <code>{from}</code>}
                    {to !== null && <code>→ {to}</code>}
                  </>
                ),
              }))}
            />
          </Card>
        )
      }
    </Shown>
  )
}

const stopped = ({ frozenAt, status }: One) => ({
  isFrozen: frozenAt !== null,
  isSuspended: status !== "active",
})

export const Screen = ({ merchantId = "" }: Params) => {
  const { approvals, merchant: texts, outflows, partners } = Texts.texts()
  const path = at`/merchants/${merchantId}`
  const read = useRead<One>(path)
  const partnerId = read.value?.partnerId
  return (
    <Detail
      of={read}
      back={{
        to: partnerId === undefined ? "/partners" : `/partners/${partnerId}`,
        name: partners.title,
      }}
      name={texts.one}
      title={({ name }) => foreign(name)}
      note={(merchant) => (
        <>
          <MeasurePills {...stopped(merchant)} /> <ModePill mode={merchant.mode} />
        </>
      )}
      acts={(merchant) => (
        <>
          {merchant.waiting !== null && (
            <ActButton act={approval(merchant)} look="main" onDone={read.reload} />
          )}
          <MeasureActs
            path={path}
            name={merchant.name}
            {...stopped(merchant)}
            onDone={read.reload}
          />
        </>
      )}
    >
      {(merchant) => (
        <div class="columns">
          <div class="stack">
            <Card title={texts.destinations}>
              <Destinations merchant={merchant} onDone={read.reload} />
            </Card>
            <History path={path} />
          </div>
          <Card title={texts.about}>
            <Facts
              of={[
                codeFact(partners.id, merchant.id),
                linkFact(approvals.partner, "/partners", merchant.partnerId),
                [texts.email, foreign(merchant.email)],
                [approvals.supportEmail, foreign(merchant.supportEmail)],
                [approvals.supportUrl, foreign(merchant.supportUrl)],
                [partners.fees, merchant.fees === null ? texts.ofPartner : feesText(merchant.fees)],
                [partners.payouts, merchant.payouts ?? texts.ofPartner],
                [texts.created, <Time at={merchant.createdAt} />],
              ]}
            />
            <Link class="button quiet" to={`/outflows?merchantId=${merchant.id}`}>
              {outflows.title}
            </Link>
          </Card>
        </div>
      )}
    </Detail>
  )
}
