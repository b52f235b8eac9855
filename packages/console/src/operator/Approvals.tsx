/**
 * Live merchants that wait for approval: what payers would see, and whom the name looks like.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import { Empty, Fact, Facts, Head, Pill, Time } from "../shell/Pieces.tsx"
import { Link } from "../shell/Route.tsx"
import { Act, type Deed } from "./Act.tsx"
import { Names } from "./PartnerScreen.tsx"
import { Record, Shown, useRead } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

type Look = Pick<Merchant.Owned, "id" | "iconUrl" | "name" | "supportEmail" | "supportUrl">

/** What payers see of a merchant. Its icon is an address here: the console loads nothing from other hosts. */
const Seen = ({
  look: { iconUrl, name, supportEmail, supportUrl },
}: {
  readonly look: Omit<Look, "id">
}) => {
  const { approvals: texts } = Texts.texts()
  return (
    <Facts>
      <Fact name={texts.name}>
        <bdi>{name}</bdi>
      </Fact>
      <Fact name={texts.icon}>{iconUrl !== null && <bdi>{iconUrl}</bdi>}</Fact>
      <Fact name={texts.supportEmail}>{supportEmail !== null && <bdi>{supportEmail}</bdi>}</Fact>
      <Fact name={texts.supportUrl}>{supportUrl !== null && <bdi>{supportUrl}</bdi>}</Fact>
    </Facts>
  )
}

/** Approves exactly what is shown: the service refuses it if the merchant has changed it since. */
export const approval = (look: Look): Deed => {
  const { approvals: texts } = Texts.texts()
  const { id, iconUrl, name, supportEmail, supportUrl } = look
  return {
    scope: "admin",
    title: texts.approve,
    action: texts.approve,
    said: texts.approved,
    path: `/merchants/${encodeURIComponent(id)}/approve`,
    request: { name, iconUrl, supportEmail, supportUrl },
    body: (
      <>
        <p>{texts.question}</p>
        <Seen look={look} />
      </>
    ),
  }
}

export const Screen = () => {
  const { approvals: texts, partners } = Texts.texts()
  const read = useRead<Merchant.WaitingPage>("/merchants/waiting", { limit: 100 })
  return (
    <>
      <Head
        title={texts.title}
        note={texts.note}
        back={{ to: "/partners", name: partners.title }}
      />
      <Shown of={read}>
        {({ merchants, nextCursor }) => (
          <>
            {merchants.length === 0 && <Empty {...texts.none} />}
            <ul class="findings">
              {merchants.map((merchant) => (
                <li key={merchant.id}>
                  <Record
                    title={<bdi>{merchant.name}</bdi>}
                    actions={
                      merchant.resembles.length > 0 && <Pill tone="caution">{texts.isAlike}</Pill>
                    }
                  >
                    <Seen look={merchant} />
                    <Facts>
                      <Fact name={texts.since}>
                        {merchant.waiting !== null && <Time at={merchant.waiting.since} />}
                      </Fact>
                      <Fact name={texts.before}>
                        {merchant.waiting !== null && merchant.waiting.approved !== null && (
                          <bdi>{merchant.waiting.approved.name}</bdi>
                        )}
                      </Fact>
                      <Fact name={texts.partner}>
                        <Link to={`/partners/${merchant.partnerId}`}>{merchant.partnerId}</Link>
                      </Fact>
                    </Facts>
                    {merchant.resembles.length > 0 && (
                      <>
                        <p class="note">{texts.alike}</p>
                        <Names names={merchant.resembles} />
                      </>
                    )}
                    <div class="actions">
                      <Act deed={approval(merchant)} onDone={read.reload} />
                      <Link class="button quiet" to={`/merchants/${merchant.id}`}>
                        {texts.open}
                      </Link>
                    </div>
                  </Record>
                </li>
              ))}
            </ul>
            {nextCursor !== null && <p class="note">{texts.more}</p>}
          </>
        )}
      </Shown>
    </>
  )
}
