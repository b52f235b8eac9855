/**
 * What one merchant is owed now, for the screens of the merchant.
 *
 * @module
 */
import type * as Balance from "@florin/api/wire/Balance"
import type { ComponentChildren } from "preact"
import { Read } from "../shell/Detail.tsx"
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
}: {
  readonly path: string
  readonly acts: ComponentChildren
}) => (
  <Read<Balance.MerchantPage> path={path}>
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
  </Read>
)
