/**
 * One merchant of any partner: what stops it, and where its money goes.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import type * as Settlement from "@florin/api/wire/Settlement"
import { MerchantBalances } from "../screens/MerchantBalances.tsx"
import { type Act, ActButton } from "../shell/Act.tsx"
import { useRead } from "../shell/Api.ts"
import { Detail } from "../shell/Detail.tsx"
import type { Params } from "../shell/Face.ts"
import { at } from "../shell/Path.ts"
import {
  ButtonLink,
  Card,
  Code,
  codeFact,
  foreign,
  linkFact,
  ModePill,
  Pill,
  Time,
} from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Read } from "../shell/Shown.tsx"
import { step, Timeline } from "../shell/Timeline.tsx"
import { approval } from "./Approvals.tsx"
import { MeasureActs, MeasurePills } from "./Measures.tsx"
import { feesText } from "./Partners.tsx"
import * as Texts from "./Texts.ts"

const { approvals, merchant: texts, merchants, outflows, partners } = Texts.texts

type One = Merchant.OwnedProfile
type Destination = One["settlements"]["crypto"][number]

/** Puts a changed destination into effect before its delay ends. */
const confirmation = (id: string, { destination, id: settlementId }: Destination): Act => {
  const { confirm } = Texts.texts.merchant
  return {
    ...confirm,
    scope: "admin",
    isDangerous: true,
    path: at`/merchants/${id}/settlements/${settlementId}/confirm`,
    request: { destination },
    body: [confirm.body, <code>{destination}</code>],
  }
}

const Destinations = ({
  merchant: { id, settlements },
  onDone,
}: {
  readonly merchant: One
  readonly onDone: () => void
}) => {
  const line = (settlement: Destination) => (
    <>
      <span>
        <Code name={texts.destination} text={settlement.destination} />{" "}
        <code class="note">{Reader.short(settlement.asset)}</code>
      </span>
      {settlement.takesEffectAt !== undefined && (
        <span class="actions">
          <Pill tone="caution">{texts.from(Reader.time(settlement.takesEffectAt))}</Pill>
          <ActButton act={confirmation(id, settlement)} onDone={onDone} />
        </span>
      )}
    </>
  )
  const { crypto } = settlements
  return (
    <Card
      title={texts.destinations}
      note={crypto.length === 0 ? texts.noDestination : undefined}
      lines={crypto.map(line)}
    />
  )
}

const isAhead = (time: string | null): boolean => time !== null && Date.parse(time) > Date.now()

const History = ({ path }: { readonly path: string }) => (
  <Read<Settlement.History> path={`${path}/settlements/history`} isLive={false}>
    {({ changes }) =>
      changes.length > 0 && (
        <Card title={texts.history}>
          <Timeline
            steps={changes.map(({ createdAt, from, takesEffectAt, to }) =>
              step(
                isAhead(takesEffectAt) ? "processing" : "done",
                to === null ? texts.deleted : from === null ? texts.registered : texts.changed,
                createdAt,
                from !== null && <code>{from}</code>,
                to !== null && <code>→ {to}</code>,
              ),
            )}
          />
        </Card>
      )
    }
  </Read>
)

const stopped = ({ frozenAt, status }: One) => ({
  isFrozen: frozenAt !== null,
  isSuspended: status !== "active",
})

export const Screen = ({ merchantId = "" }: Params) => {
  const path = at`/merchants/${merchantId}`
  const read = useRead<One>(path)
  return (
    <Detail
      of={read}
      back={{ to: "/merchants", name: merchants.title }}
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
      main={(merchant) => (
        <>
          <MerchantBalances
            path={`${path}/balances`}
            acts={<ButtonLink to={at`/outflows?merchantId=${merchantId}`} name={outflows.title} />}
          />
          <Destinations merchant={merchant} onDone={read.reload} />
          <History path={path} />
        </>
      )}
      side={(merchant) => (
        <Card
          title={texts.about}
          facts={[
            codeFact(partners.id, merchant.id, true),
            linkFact(approvals.partner, "/partners", merchant.partnerId),
            [texts.email, foreign(merchant.email)],
            [approvals.supportEmail, foreign(merchant.supportEmail)],
            [approvals.supportUrl, foreign(merchant.supportUrl)],
            [partners.fees, merchant.fees === null ? texts.ofPartner : feesText(merchant.fees)],
            [partners.payouts, merchant.payouts ?? texts.ofPartner],
            [texts.created, <Time at={merchant.createdAt} />],
          ]}
        />
      )}
    />
  )
}
