/**
 * One partner: its fees, payouts, credit and limits, which a person changes, and what stops it.
 *
 * @module
 */
import type * as Partner from "@florin/api/wire/Partner"
import * as TypedAmount from "@florin/pages/TypedAmount"
import { useAct } from "../shell/Act.tsx"
import { useRead } from "../shell/Api.ts"
import { useConsole } from "../shell/Console.tsx"
import { Detail } from "../shell/Detail.tsx"
import type { Params } from "../shell/Face.ts"
import { Form, useFields } from "../shell/Form.tsx"
import { named } from "../shell/Messages.ts"
import { at } from "../shell/Path.ts"
import { ButtonLink, Card, codeFact, Facts, foreign, timeFact } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link } from "../shell/Route.tsx"
import * as Shell from "../shell/Texts.ts"
import { MeasureActs, MeasurePills } from "./Measures.tsx"
import * as PartnerChanges from "./PartnerChanges.ts"
import * as Texts from "./Texts.ts"

const { merchants, partner: texts, partners } = Texts.texts
const { access, audit, mode: modeTexts } = Shell.texts

type One = Partner.Partner

/** A fee in minor units of a currency. */
const fixedFee = ({ unit, value }: One["fees"]["fixed"][number]): string => {
  const currency = unit.replace("iso4217/", "")
  const decimals = TypedAmount.digitsOf(currency)
  return Reader.amount({
    unit,
    value,
    display: { assetName: currency, assetSymbol: currency, decimals },
  })
}

/** The name of a field in the texts: the same for live and test money. */
const nameOf = (field: string): string =>
  field.startsWith("credit.") ? "credit" : (field.split(".").at(-1) ?? field)

const Terms = ({ partner, onDone }: { readonly partner: One; readonly onDone: () => void }) => {
  const { may } = useConsole()
  const act = useAct()
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
    act(
      {
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
      },
      () => {
        form.clear()
        onDone()
      },
    )
  const limits = Object.entries(partner.limits.live).flatMap(([name, limit]) =>
    typeof limit === "boolean" ? [] : [name],
  )
  return (
    <Card title={texts.terms} note={may("admin") ? undefined : texts.onlyAdmin}>
      <Form
        action={texts.review}
        isReady={changed.length > 0 && may("admin")}
        submission={form.submission}
        onSubmit={() => form.submit(review)}
      >
        {form.only("name")}
        <div class="pairs">{form.only("fees.percentage", "payouts")}</div>
        {PartnerChanges.modes.toReversed().map((mode) => (
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

export const Screen = ({ partnerId = "" }: Params) => {
  const path = at`/partners/${partnerId}`
  const read = useRead<One>(path)
  const alike = useRead<Partner.Resembling>(`${path}/resembling`, {}, false)
  const stopped = ({ frozenAt, suspendedAt }: One) => ({
    isFrozen: frozenAt !== null,
    isSuspended: suspendedAt !== null,
  })
  return (
    <Detail
      of={read}
      back={{ to: "/partners", name: partners.title }}
      name={texts.one}
      title={({ name }) => foreign(name)}
      note={(partner) => <MeasurePills {...stopped(partner)} />}
      acts={(partner) => (
        <MeasureActs path={path} name={partner.name} {...stopped(partner)} onDone={read.reload} />
      )}
      main={(partner) => <Terms partner={partner} onDone={read.reload} />}
      side={({ fees, frozenAt, id, suspendedAt, versionPin }) => (
        <>
          <Card
            title={texts.about}
            facts={[
              codeFact(partners.id, id, true),
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
                <ButtonLink to={`/keys?partnerId=${id}`} name={access.title} />
                <ButtonLink to={`/audit?partnerId=${id}`} name={audit.title} />
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
  names.map(({ merchantId, name, partnerId }) => (
    <>
      {foreign(name)}
      <Link to={merchantId === null ? `/partners/${partnerId}` : `/merchants/${merchantId}`}>
        {merchantId ?? partnerId}
      </Link>
    </>
  ))
