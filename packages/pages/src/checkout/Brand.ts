/**
 * The merchant's colour on the page: in the shades that people can read, as custom properties. The policy of the page
 * allows these, and no style in the document.
 *
 * @module
 */
import * as BrandColor from "@florin/core/domain/partner/BrandColor"

/** Does nothing if there is no colour, or if the text is none. */
export const apply = (color: string | undefined, root: HTMLElement): void => {
  const brand = BrandColor.parse(color ?? "")
  if (brand === undefined) return
  const light = BrandColor.palette(brand, "light")
  const dark = BrandColor.palette(brand, "dark")
  const properties = {
    "--brand-button": light.button,
    "--brand-on-button": light.onButton,
    // Away from the text, so that a shade of the button's colour has even more contrast.
    "--brand-far": light.onButton === "#000000" ? "#ffffff" : "#000000",
    "--brand-light": light.accent,
    "--brand-dark": dark.accent,
  }
  for (const [name, value] of Object.entries(properties)) root.style.setProperty(name, value)
  root.classList.add("branded")
}
