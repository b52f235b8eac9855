/**
 * The screens on which the payer waits for something, or the wallet waits for the payer.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import * as Amounts from "../../shared/Amounts.ts"
import type { On, Props } from "../View.ts"
import { OtherWay, Spinner } from "./Pieces.tsx"

export const Busy = ({
  said,
  children,
}: Pick<Props, "said"> & { readonly children?: ComponentChildren }) => (
  <div class="state">
    <Spinner />
    <p class="text">{said.text}</p>
    {children}
  </div>
)

export const Asking = ({ view, screen, said, session }: On<"Asking">) => (
  <Busy said={said}>
    {screen.steps > 1 && (
      <div class="steps">
        <p class="note">
          {Amounts.withDigits(view.messages.step(screen.step, screen.steps), view.locale)}
        </p>
        <progress value={screen.step - 1} max={screen.steps} aria-hidden="true" />
      </div>
    )}
    {screen.mayLeave && <OtherWay view={view} session={session} />}
  </Busy>
)
