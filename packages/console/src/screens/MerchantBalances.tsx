/**
 * What one merchant is owed now, for the screens of the merchant.
 *
 * @module
 */
import type * as Balance from "@florin/api/wire/Balance"
import type { ComponentChildren } from "preact"
import { useRead } from "../shell/Api.ts"
import { Shown } from "../shell/Detail.tsx"
import { Card, line } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import * as Texts from "../shell/Texts.ts"

const { balance: texts } = Texts.texts

export const parts = ["available", "pending", "inPayout", "reserved", "debt"] as const

/** A part of a balance; nothing if there is none of it. */
const partOf = (of: Balance.OfMerchant, part: (typeof parts)[number]): string =>
  of[part].value === "0" ? "" : Reader.amount({ ...of[part], display: of.display })

export const MerchantBalances = ({
  acts,
  path,
  query,
}: {
  readonly path: string
  readonly query?: { readonly merchantId: string }
  readonly acts: ComponentChildren
}) => {
  const read = useRead<Balance.MerchantPage>(path, { ...query })
  return (
    <Shown of={read}>
      {({ data }) => (
        <Card
          title={texts.title}
          note={data.length === 0 ? texts.none : undefined}
          lines={data.flatMap((of) =>
            parts.flatMap((part) => {
              const amount = partOf(of, part)
              return amount === ""
                ? []
                : [line(`${texts.parts[part]} · ${Reader.token(of.display)}`, amount)]
            }),
          )}
          acts={acts}
        />
      )}
    </Shown>
  )
}
