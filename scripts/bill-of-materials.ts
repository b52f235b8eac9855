/**
 * A bill of materials for each tarball, in CycloneDX: what a package brings into a project, with versions, hashes and
 * licences. Two from one commit are equal.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { run } from "./command.ts"

/** Components and dependencies have a reference by which they are sorted: pnpm writes them in any order. */
interface Referred {
  readonly "bom-ref"?: string
  readonly ref?: string
}

interface Component extends Referred {
  readonly group?: string
  readonly name: string
  readonly version: string
  readonly licenses?: ReadonlyArray<{
    readonly license?: { readonly id?: string; readonly name?: string }
    readonly expression?: string
  }>
}

export interface Bill {
  readonly metadata: { readonly timestamp: string }
  readonly components: ReadonlyArray<Component>
  readonly dependencies: ReadonlyArray<Referred>
}

const referenceOf = (each: Referred): string => each["bom-ref"] ?? each.ref ?? ""

const sorted = <A extends Referred>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.toSorted((left, right) => (referenceOf(left) < referenceOf(right) ? -1 : 1))

/** A tarball: its path. */
interface Packed {
  readonly file: string
}

const fileOf = ({ file }: Packed): string => file.replace(/\.tgz$/u, ".cdx.json")

export const read = (tarball: Packed): Bill => JSON.parse(readFileSync(fileOf(tarball), "utf8"))

/** A serial number that follows from the content, in the form of a UUID. */
const serialOf = (text: string): string =>
  createHash("sha256")
    .update(text)
    .digest("hex")
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/u, "urn:uuid:$1-$2-8$3-8$4-$5")

/** Writes the bill of each tarball next to it. */
export const write = async (tarballs: ReadonlyArray<Packed>, into: string): Promise<void> => {
  const packages = ["--recursive", "--filter", "./packages/*", "--prod"]
  const format = ["--sbom-format", "cyclonedx", "--sbom-spec-version", "1.6"]
  const out = `${into}/%s-%v.cdx.json`
  await run("pnpm", [...packages, "sbom", ...format, "--split", "--out", out])
  const { stdout } = await run("git", ["log", "-1", "--format=%cI"])
  for (const tarball of tarballs) {
    const bill = read(tarball)
    const metadata = { ...bill.metadata, timestamp: new Date(stdout.trim()).toISOString() }
    const components = sorted(bill.components)
    const dependencies = sorted(bill.dependencies)
    const content = { ...bill, serialNumber: "", metadata, components, dependencies }
    const serialNumber = serialOf(JSON.stringify(content))
    writeFileSync(
      fileOf(tarball),
      `${JSON.stringify({ ...content, serialNumber }, undefined, 2)}\n`,
    )
  }
}

/** Licences that ask a user for no more than to keep a notice. */
const allowed = new Set(["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"])

const isAllowed = (licence: string): boolean =>
  licence
    .replaceAll(/[()]/gu, "")
    .split(" OR ")
    .some((either) => either.split(" AND ").every((each) => allowed.has(each)))

const nameOf = ({ group, name, version }: Component): string =>
  `${group === undefined ? "" : `${group}/`}${name}@${version}`

/** What a package brings under a licence that is not in the list. */
export const refused = ({ components }: Bill): ReadonlyArray<string> =>
  components.flatMap((component) => {
    const licences = (component.licenses ?? []).map(
      ({ expression, license }) => expression ?? license?.id ?? license?.name ?? "unknown",
    )
    const isFine = licences.length > 0 && licences.every(isAllowed)
    return isFine
      ? []
      : [`${nameOf(component)} has the license ${licences.join(", ") || "unknown"}`]
  })

/** The packages of others that these bring. */
export const components = (bills: ReadonlyArray<Bill>): ReadonlyArray<string> => [
  ...new Set(
    bills.flatMap((bill) => bill.components.filter(({ group }) => group !== "@florin").map(nameOf)),
  ),
]
