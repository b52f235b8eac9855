/**
 * The wallet apps on a payer's phone: links that open this payment there.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import * as SafeUrl from "../SafeUrl.ts"
import type { View } from "../View.ts"
import * as WalletApps from "../WalletApps.ts"
import { Chevron } from "./Pieces.tsx"

interface RowProps {
  readonly name: string
  readonly href: string
  readonly target?: "_blank" | undefined
  readonly children: ComponentChildren
}

const Row = ({ name, href, target, children }: RowProps) => (
  <li>
    <a
      class="row"
      href={href}
      target={target}
      rel="noopener noreferrer"
      referrerpolicy="no-referrer"
    >
      {children}
      <span class="row-name">
        <bdi>{name}</bdi>
      </span>
      <Chevron />
    </a>
  </li>
)

export const AppLinks = ({ view: { frame, messages, page } }: { readonly view: View }) => (
  <section class="wallets" aria-labelledby="wallet-apps">
    <h2 id="wallet-apps">{messages.inWalletApp}</h2>
    <ul class="rows">
      {WalletApps.all.map(({ color, name, open }) => (
        <Row
          key={name}
          name={name}
          href={open(page.link)}
          // A phone without the app opens the maker's website, which must not take the place of the checkout in a frame.
          target={frame && "_blank"}
        >
          <span class="picture tile app" style={{ backgroundColor: color }} aria-hidden="true">
            {name.slice(0, 1)}
          </span>
        </Row>
      ))}
      <Row name={messages.otherWalletApp} href={SafeUrl.walletApp(page.link)}>
        <span class="picture tile" aria-hidden="true">
          …
        </span>
      </Row>
    </ul>
    <p class="note">{messages.walletAppLink}</p>
  </section>
)
