/**
 * The partners, and one with its fees, payouts, credit and limits, which a person changes, and what stops it.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import type * as Partner from "@florin/api/wire/Partner"
import { useAsk } from "../shell/Act.tsx"
import { useRead } from "../shell/Api.ts"
import { useConsole } from "../shell/Console.tsx"
import { Detail } from "../shell/Detail.tsx"
import type { Params } from "../shell/Face.ts"
import { Form, useFields } from "../shell/Form.tsx"
import { Id } from "../shell/Id.tsx"
import { Listing } from "../shell/Listing.tsx"
import { named } from "../shell/Messages.ts"
import { at } from "../shell/Path.ts"
import { ButtonLink, Card, codeFact, Facts, foreign, line, timeFact } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { column } from "../shell/Table.tsx"
import { measureActs, measurePills } from "./Measures.tsx"
import * as PartnerChanges from "./PartnerChanges.ts"
import * as Texts from "./Texts.ts"

const { approvals, merchants, mode: modeTexts, partner: texts, partners, words } = Texts.texts

/** Fees in a few words. */
export const feesText = ({ fixed, percentage }: Partner.Partner["fees"]): string =>
  fixed.every(({ value }) => value === "0") ? `${percentage} %` : partners.feeAndFixed(percentage)

const Waiting = () => {
  const read = useRead<Merchant.WaitingPage>("/merchants/waiting", { limit: 100 })
  const { merchants: waiting = [], nextCursor = null } = read.value ?? {}
  return (
    <ButtonLink
      to="/approvals"
      look={waiting.length === 0 ? "quiet" : "main"}
      name={
        waiting.length === 0
          ? approvals.title
          : approvals.count(`${waiting.length}${nextCursor === null ? "" : "+"}`)
      }
    />
  )
}

export const All = () => (
  <Listing<Partner.Partner, Partner.List>
    texts={partners}
    actions={() => <Waiting />}
    path="/partners"
    isWhole
    rowsOf={(page) => page.partners}
    filters={[{ name: "name", kind: "text", label: partners.find, isEager: true, isLocal: true }]}
    matches={({ id, name }, query) => {
      const wanted = (query.get("name") ?? "").toLocaleLowerCase()
      return [name, id].some((text) => text.toLocaleLowerCase().includes(wanted))
    }}
    columns={[
      column(words.name, "title", 2, ({ name }) => foreign(name)),
      column(words.status, "end", "12rem", measurePills),
      column(partners.fees, "below", 1, ({ fees }) => feesText(fees)),
      column(partners.payouts, "belowEnd", 1, ({ payouts }) => payouts ?? partners.defaults),
      column(words.id, "wide", 1, ({ id }) => <code>{id}</code>),
    ]}
    to={({ id }) => at`/partners/${id}`}
  />
)

const fixedFee = ({ unit, value }: Partner.Partner["fees"]["fixed"][number]): string => {
  const currency = unit.replace("iso4217/", "")
  return Reader.price(value, currency)
}

/** The name of a field in the texts: the same for live and test money. */
const nameOf = (field: string): string =>
  field.startsWith("credit.") ? "credit" : (field.split(".").at(-1) ?? field)

const Terms = ({ partner }: { readonly partner: Partner.Partner }) => {
  const { may } = useConsole()
  const ask = useAsk()
  const before = PartnerChanges.valuesOf(partner)
  const form = useFields(() =>
    Object.entries(before).map(([name, initial]) => {
      const own = nameOf(name)
      const label = named(texts.fields, own)
      const hint = own in texts.hints ? named(texts.hints, own) : undefined
      return own === "netsMerchants"
        ? { name, label, initial, kind: "checks", options: [["true", hint ?? label]] }
        : { name, label, initial, hint }
    }),
  )
  const after = Object.fromEntries(Object.keys(before).map((name) => [name, form.get(name)]))
  const { changed } = form
  const labelOf = (field: string): string => {
    const mode = PartnerChanges.modes.find((each) => field.includes(`.${each}`))
    const label = named(texts.fields, nameOf(field))
    return mode === undefined ? label : `${label} · ${modeTexts[mode]}`
  }
  const review = async () =>
    ask({
      scope: "admin",
      method: "PATCH",
      path: at`/partners/${partner.id}`,
      request: PartnerChanges.of(before, after),
      ...texts.change,
      body: [
        partner.name,
        <Facts
          of={changed.map((name) => [
            labelOf(name),
            `${before[name] || "–"} → ${after[name] || "–"}`,
          ])}
        />,
      ],
      onDone: form.clear,
    })
  const limits = Object.entries(partner.limits.live).flatMap(([name, limit]) =>
    typeof limit === "boolean" ? [] : [name],
  )
  return (
    <Card title={texts.terms} note={may("admin") ? undefined : texts.onlyAdmin}>
      <Form
        action={texts.review}
        isReady={changed.length > 0 && may("admin")}
        of={form}
        run={review}
      >
        {form.only("name")}
        <div class="pairs">{form.only("fees.percentage", "payouts")}</div>
        {PartnerChanges.modes.map((mode) => (
          <fieldset key={mode} class="fields">
            <legend>{modeTexts[mode]}</legend>
            <div class="pairs">
              {form.only(`credit.${mode}`, ...limits.map((limit) => `limits.${mode}.${limit}`))}
            </div>
            {form.only(`limits.${mode}.netsMerchants`)}
          </fieldset>
        ))}
      </Form>
    </Card>
  )
}

export const One = ({ partnerId = "" }: Params) => {
  const path = at`/partners/${partnerId}`
  const alike = useRead<Partner.Resembling>(`${path}/resembling`, {}, { everyInMs: null })
  return (
    <Detail
      of={useRead<Partner.Partner>(path)}
      back={{ to: "/partners", name: partners.title }}
      name={words.partner}
      title={({ name }) => foreign(name)}
      note={measurePills}
      acts={(partner) => measureActs(partner, path)}
      main={(partner) => <Terms partner={partner} />}
      side={({ fees, frozenAt, id, suspendedAt, versionPin }) => (
        <>
          <Card
            title={words.about}
            facts={[
              codeFact(words.id, id, true),
              [texts.version, versionPin],
              [
                texts.fields.fixed,
                fees.fixed
                  .filter(({ value }) => value !== "0")
                  .map(fixedFee)
                  .join(", "),
              ],
              timeFact(texts.suspendedAt, suspendedAt),
              timeFact(texts.frozenAt, frozenAt),
            ]}
            acts={
              <>
                <ButtonLink to={`/merchants?partnerId=${id}`} name={merchants.title} />
                <ButtonLink to={`/keys?partnerId=${id}`} name={Texts.texts.access.title} />
                <ButtonLink to={`/audit?partnerId=${id}`} name={Texts.texts.audit.title} />
              </>
            }
          />
          {alike.value !== undefined && alike.value.resembles.length > 0 && (
            <Card title={texts.alike} lines={namesOf(alike.value.resembles)} />
          )}
        </>
      )}
    />
  )
}

/** Names of other partners and their merchants. */
export const namesOf = (names: Partner.Resembling["resembles"]) =>
  names.map(({ merchantId, name, partnerId }) =>
    line(foreign(name), <Id of={merchantId ?? partnerId} />),
  )
