/**
 * Renders docs/security-tests.md: the tests of each threat.
 *
 * @module
 */
import * as Threats from "./threats.ts"

const filesOf = (id: string): ReadonlyArray<string> =>
  [...Threats.tested].filter(([, ids]) => ids.includes(id)).map(([file]) => file)

const rows = (): string =>
  Threats.ids
    .map((id) => {
      const files = filesOf(id).map((file) => `\`${file.replace("packages/", "")}\``)
      return `- **${id}** ${files.length === 0 ? "none yet" : files.join(", ")}`
    })
    .join("\n")

export const render = (): string => `# Tests of threats

This page lists each threat of [security.md](security.md) with the files whose tests have its number in their names. Files are below \`packages/\` unless they begin with \`examples/\`.

To run the tests of a threat: \`npx vitest run --config vitest.workspace.ts -t "S1[:,]"\`. \`FLORIN_COUNTS=full\` runs more random cases.

${rows()}
`
