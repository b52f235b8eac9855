/**
 * Reads the headers in which a caller says what it accepts: media types, languages and encodings, each with a weight
 * (RFC 9110, section 12).
 *
 * @module
 */

interface Accepted {
  /** In lower case. */
  readonly name: string
  /** From 0, which refuses it, to 1. */
  readonly weight: number
}

const weightOf = (parameters: ReadonlyArray<string>): number => {
  const [, weight] = parameters.find((each) => each.startsWith("q="))?.split("=") ?? []
  if (weight === undefined) return 1
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/u.test(weight) ? Number(weight) : 0
}

const parse = (header: string): ReadonlyArray<Accepted> =>
  header
    .toLowerCase()
    .split(",")
    .map((each) => {
      const [name = "", ...parameters] = each.split(";").map((part) => part.trim())
      return { name, weight: weightOf(parameters) }
    })

/** Whether a header names something, and does not refuse it. */
export const includes = (header: string, name: string): boolean =>
  parse(header).some((each) => each.name === name && each.weight > 0)

/** The names in a header, the best first, without those that it refuses. */
export const ranked = (header: string): ReadonlyArray<string> =>
  parse(header)
    .filter(({ weight }) => weight > 0)
    .toSorted((left, right) => right.weight - left.weight)
    .map(({ name }) => name)

/** How much an `Accept` header wants a type: by the range in it that fits most exactly. */
const wanted = (ranges: ReadonlyArray<Accepted>, type: string) => {
  const fitting = [type, type.replace(/\/.*$/u, "/*"), "*/*"]
  const exactness = fitting.findIndex((range) => ranges.some(({ name }) => name === range))
  const found = ranges.filter(({ name }) => name === fitting[exactness])
  return { exactness, weight: Math.max(0, ...found.map(({ weight }) => weight)) }
}

/**
 * Whether an `Accept` header prefers HTML to JSON, as a browser's does. Of equal weights, the type that the header names
 * more exactly is preferred, and JSON if none is.
 */
export const prefersHtml = (header: string): boolean => {
  const ranges = parse(header)
  const html = wanted(ranges, "text/html")
  const json = wanted(ranges, "application/json")
  if (html.weight !== json.weight) return html.weight > json.weight
  return html.weight > 0 && html.exactness < json.exactness
}
