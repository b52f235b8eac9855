/**
 * The merchants of all partners, those that wait for approval, and one with what stops it and where its money goes.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import type * as Settlement from "@florin/api/wire/Settlement"
import { type Destination, destinationsCard } from "../screens/DestinationsCard.tsx"
import { MerchantBalances } from "../screens/MerchantBalances.tsx"
import * as Tokens from "../screens/Tokens.ts"
import { type Act, ActButton } from "../shell/Act.tsx"
import { useRead } from "../shell/Api.ts"
import { Detail, Read } from "../shell/Detail.tsx"
import type { Params } from "../shell/Face.ts"
import { chips, link } from "../shell/Filter.ts"
import { idFact } from "../shell/Id.tsx"
import { Listing } from "../shell/Listing.tsx"
import { at } from "../shell/Path.ts"
import {
  ButtonLink,
  Card,
  codeFact,
  type Fact,
  Facts,
  foreign,
  ModePill,
  Pill,
  Record,
  Time,
} from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { column, times } from "../shell/Table.tsx"
import { step, Timeline } from "../shell/Timeline.tsx"
import { isStopped, measureActs, measurePills } from "./Measures.tsx"
import { feesText, namesOf } from "./Partners.tsx"
import { modeFilter } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

const { approvals, merchant: texts, merchants, partners, words } = Texts.texts

export const All = () => (
  <Listing<Merchant.Owned, Merchant.OwnedPage>
    texts={merchants}
    note={({ totalCount }) => merchants.total(Reader.count(totalCount))}
    path="/merchants"
    rowsOf={(page) => page.merchants}
    filters={[
      { name: "search", kind: "text", label: partners.find },
      chips("status", words.states.merchant),
      modeFilter(),
      link("partnerId"),
    ]}
    columns={[
      column(words.name, "title", 2, ({ mode, name }) => (
        <>
          {foreign(name)} <ModePill mode={mode} />
        </>
      )),
      column(words.status, "end", "12rem", (merchant) =>
        isStopped(merchant) || merchant.waiting === null ? (
          measurePills(merchant)
        ) : (
          <Pill tone="caution">{merchants.waits}</Pill>
        ),
      ),
      column(words.partner, "below", 1.4, ({ partnerId }) => <code>{partnerId}</code>),
      times(words.created, "belowEnd", ({ createdAt }) => createdAt),
    ]}
    to={({ id }) => at`/merchants/${id}`}
  />
)

type Candidate = Merchant.WaitingPage["merchants"][number]
type Look = Pick<Merchant.Owned, "id" | "iconUrl" | "name" | "supportEmail" | "supportUrl">

/** What payers see of a merchant. Its icon is an address here: the console loads nothing from other hosts. */
const seen = ({ iconUrl, name, supportEmail, supportUrl }: Look): ReadonlyArray<Fact> => [
  [words.name, foreign(name)],
  [approvals.icon, foreign(iconUrl)],
  [approvals.supportEmail, foreign(supportEmail)],
  [approvals.supportUrl, foreign(supportUrl)],
]

/** Approves exactly what is shown: the service refuses it if the merchant has changed it since. */
const approval = (look: Look): Act => {
  const { id, iconUrl, name, supportEmail, supportUrl } = look
  return {
    ...approvals.approve,
    scope: "admin",
    path: at`/merchants/${id}/approve`,
    request: { name, iconUrl, supportEmail, supportUrl },
    body: [approvals.approve.body, <Facts of={seen(look)} />],
  }
}

const card = (merchant: Candidate) => {
  const { id, name, partnerId, resembles, waiting } = merchant
  const isAlike = resembles.length > 0
  return (
    <Record
      title={foreign(name)}
      head={isAlike && <Pill tone="caution">{approvals.isAlike}</Pill>}
      facts={[
        ...seen(merchant),
        [approvals.since, waiting !== null && <Time at={waiting.since} />],
        [approvals.before, foreign(waiting?.approved?.name)],
        idFact(words.partner, partnerId),
      ]}
      lines={isAlike ? [approvals.alike, ...namesOf(resembles)] : []}
      acts={
        <>
          <ActButton act={approval(merchant)} look="main" />
          <ButtonLink to={`/merchants/${id}`} name={approvals.open} />
        </>
      }
    />
  )
}

export const Waiting = () => (
  <Listing<Candidate, Merchant.WaitingPage>
    texts={approvals}
    back={{ to: "/partners", name: partners.title }}
    path="/merchants/waiting"
    rowsOf={(page) => page.merchants}
    card={card}
  />
)

type Profile = Merchant.OwnedProfile

/** Puts a changed destination into effect before its delay ends. */
const confirmation = (id: string, { destination, id: settlementId }: Destination): Act => {
  return {
    ...texts.confirm,
    scope: "admin",
    isDangerous: true,
    path: at`/merchants/${id}/settlements/${settlementId}/confirm`,
    request: { destination },
    body: [texts.confirm.body, <code>{destination}</code>],
  }
}

const isAhead = (time: string | null): boolean => time !== null && Date.parse(time) > Date.now()

const history = ({ changes }: Settlement.History, tokens: Tokens.Tokens) =>
  changes.length > 0 && (
    <Card title={texts.history}>
      <Timeline
        steps={changes.map(({ asset, createdAt, from, takesEffectAt, to }) =>
          step(
            isAhead(takesEffectAt) ? "processing" : "done",
            to === null ? texts.deleted : from === null ? texts.registered : texts.changed,
            createdAt,
            Tokens.nameOf(tokens, asset),
            from !== null && <code>{from}</code>,
            to !== null && <code>→ {to}</code>,
          ),
        )}
      />
    </Card>
  )

export const One = ({ merchantId = "" }: Params) => {
  const tokens = Tokens.useTokens()
  const path = at`/merchants/${merchantId}`
  return (
    <Detail
      of={useRead<Profile>(path)}
      back={{ to: "/merchants", name: merchants.title }}
      name={words.merchant}
      title={({ name }) => foreign(name)}
      note={(merchant) => (
        <>
          {measurePills(merchant)} <ModePill mode={merchant.mode} />
        </>
      )}
      acts={(merchant) => (
        <>
          {merchant.waiting !== null && <ActButton act={approval(merchant)} look="main" />}
          {measureActs(merchant, path)}
        </>
      )}
      main={(merchant) => (
        <>
          <MerchantBalances
            path={`${path}/balances`}
            acts={
              <ButtonLink
                to={at`/outflows?merchantId=${merchantId}`}
                name={Texts.texts.outflows.title}
              />
            }
          />
          {destinationsCard(
            merchant.settlements.crypto,
            tokens,
            (each) =>
              each.takesEffectAt !== undefined && (
                <ActButton act={confirmation(merchantId, each)} look="small" />
              ),
          )}
          <Read<Settlement.History> path={`${path}/settlements/history`}>
            {(found) => history(found, tokens)}
          </Read>
        </>
      )}
      side={(merchant) => (
        <Card
          title={words.about}
          facts={[
            codeFact(words.id, merchant.id, true),
            idFact(words.partner, merchant.partnerId),
            [words.email, foreign(merchant.email)],
            [approvals.supportEmail, foreign(merchant.supportEmail)],
            [approvals.supportUrl, foreign(merchant.supportUrl)],
            [partners.fees, merchant.fees === null ? texts.ofPartner : feesText(merchant.fees)],
            [partners.payouts, merchant.payouts ?? texts.ofPartner],
            [words.created, <Time at={merchant.createdAt} />],
          ]}
        />
      )}
    />
  )
}
