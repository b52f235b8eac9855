/**
 * Live merchants that wait for approval: what payers would see, and whom the name looks like.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import { type Act, ActButton } from "../shell/Act.tsx"
import { Cards } from "../shell/Cards.tsx"
import { at } from "../shell/Path.ts"
import {
  ButtonLink,
  type Fact,
  Facts,
  foreign,
  linkFact,
  Pill,
  Record,
  Time,
} from "../shell/Pieces.tsx"
import { namesOf } from "./PartnerScreen.tsx"
import * as Texts from "./Texts.ts"

const { approvals: texts, partners } = Texts.texts

type Look = Pick<Merchant.Owned, "id" | "iconUrl" | "name" | "supportEmail" | "supportUrl">

/** What payers see of a merchant. Its icon is an address here: the console loads nothing from other hosts. */
const seen = ({ iconUrl, name, supportEmail, supportUrl }: Look): ReadonlyArray<Fact> => [
  [texts.name, foreign(name)],
  [texts.icon, foreign(iconUrl)],
  [texts.supportEmail, foreign(supportEmail)],
  [texts.supportUrl, foreign(supportUrl)],
]

/** Approves exactly what is shown: the service refuses it if the merchant has changed it since. */
export const approval = (look: Look): Act => {
  const { id, iconUrl, name, supportEmail, supportUrl } = look
  return {
    ...texts.approve,
    scope: "admin",
    path: at`/merchants/${id}/approve`,
    request: { name, iconUrl, supportEmail, supportUrl },
    body: [texts.approve.body, <Facts of={seen(look)} />],
  }
}

export const Screen = () => (
  <Cards<Merchant.WaitingPage, Merchant.WaitingPage["merchants"][number]>
    title={texts.title}
    note={texts.note}
    back={{ to: "/partners", name: partners.title }}
    path="/merchants/waiting"
    query={{ limit: 100 }}
    rows={({ merchants }) => merchants}
    none={texts.none}
    card={(merchant, reload) => {
      const { id, name, partnerId, resembles, waiting } = merchant
      const isAlike = resembles.length > 0
      return (
        <Record
          key={id}
          title={foreign(name)}
          pills={isAlike && <Pill tone="caution">{texts.isAlike}</Pill>}
          facts={[
            ...seen(merchant),
            [texts.since, waiting !== null && <Time at={waiting.since} />],
            [texts.before, foreign(waiting?.approved?.name)],
            linkFact(texts.partner, "/partners", partnerId),
          ]}
          lines={isAlike ? [texts.alike, ...namesOf(resembles)] : []}
          acts={
            <>
              <ActButton act={approval(merchant)} look="main" onDone={reload} />
              <ButtonLink to={`/merchants/${id}`} name={texts.open} />
            </>
          }
        />
      )
    }}
    below={({ nextCursor }) => nextCursor !== null && <p class="note">{texts.more}</p>}
  />
)
