/**
 * The color of a merchant's brand, and the shades of it that people can read.
 *
 * A merchant may choose any color. Contrast is the contrast ratio of WCAG 2.
 *
 * @module
 */
import type * as Brand from "effect/Brand"

/** `#rrggbb`, in lower case. */
export type BrandColor = Brand.Branded<string, "BrandColor">

const isColor = (text: string): text is BrandColor => /^#[0-9a-f]{6}$/u.test(text)

/**
 * Reads a color; undefined if the text is none.
 *
 * @example
 * BrandColor.parse("#1F6FEB") // "#1f6feb"
 */
export const parse = (text: string): BrandColor | undefined => {
  const lower = text.toLowerCase()
  return isColor(lower) ? lower : undefined
}

type Channels = readonly [red: number, green: number, blue: number]

const channel = (color: string, at: number): number => Number(`0x${color.slice(at, at + 2)}`)

const channelsOf = (color: string): Channels => [
  channel(color, 1),
  channel(color, 3),
  channel(color, 5),
]

const format = (channels: Channels): string =>
  `#${channels.map((value) => value.toString(16).padStart(2, "0")).join("")}`

const linear = (value: number): number => {
  const part = value / 255
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
}

const luminance = ([red, green, blue]: Channels): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)

const contrastOf = (one: Channels, other: Channels): number => {
  const [left, right] = [luminance(one), luminance(other)]
  return (Math.max(left, right) + 0.05) / (Math.min(left, right) + 0.05)
}

/** The contrast of two colors: 1 if they are equal, 21 between black and white. */
export const contrast = (one: string, other: string): number =>
  contrastOf(channelsOf(one), channelsOf(other))

/** The least contrast of text that everybody can read. */
export const readableContrast = 4.5

/** The surfaces on which the pages draw a brand, by color scheme. */
export const surfaces = { light: "#ffffff", dark: "#131c19" } as const
export type Scheme = keyof typeof surfaces

const black: Channels = [0, 0, 0]
const white: Channels = [255, 255, 255]

/** Black or white: one of them has a contrast of more than 4.58 to every color. */
const farthest = (from: Channels): Channels =>
  contrastOf(from, black) > contrastOf(from, white) ? black : white

const mix = (from: Channels, to: Channels, step: number): Channels => {
  const at = (index: 0 | 1 | 2) =>
    Math.round(from[index] + ((to[index] - from[index]) * step) / 255)
  return [at(0), at(1), at(2)]
}

/** A brand's colors in one scheme. */
export interface Palette {
  /** The merchant's own color. */
  readonly button: string
  /** Text on the button. */
  readonly onButton: string
  /** Text, lines and marks on the surface: the shade nearest to the merchant's color that can be read there. */
  readonly accent: string
}

/** The colors in which a page draws a brand. All text has a contrast of at least {@link readableContrast}. */
export const palette = (color: BrandColor, scheme: Scheme): Palette => {
  const own = channelsOf(color)
  const surface = channelsOf(surfaces[scheme])
  const target = farthest(surface)
  let accent = own
  for (let step = 1; contrastOf(accent, surface) < readableContrast && step <= 255; step += 1) {
    accent = mix(own, target, step)
  }
  return { button: color, onButton: format(farthest(own)), accent: format(accent) }
}
