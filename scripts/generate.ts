/**
 * Writes every generated file; with `--check`, reports stale files instead.
 *
 * @module
 */
import { readFileSync, writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Version from "../packages/core/src/domain/ground/Version.ts"
import * as ViewTypes from "../packages/postgres/src/ViewTypes.ts"
import * as alerts from "./alerts.ts"
import * as beforeRealMoney from "./before-real-money.ts"
import * as dashboard from "./dashboard.ts"
import * as examples from "./examples.ts"
import * as findingsTable from "./findings-table.ts"
import * as limits from "./limits.ts"
import * as llms from "./llms.ts"
import * as metrics from "./metrics.ts"
import * as openapi from "./openapi.ts"
import * as operatorApi from "./operator-api.ts"
import * as outflowStateMachine from "./outflow-state-machine.ts"
import * as performance from "./performance.ts"
import * as securityTests from "./security-tests.ts"
import * as stateMachine from "./state-machine.ts"
import * as tables from "./tables.ts"

interface Generator {
  readonly path: string
  readonly content: () => string
}

/** The recorded types, which tests use. */
const viewFiles: { readonly [F in ViewTypes.Format]: string } = {
  sql: "views.sql",
  drizzle: "drizzle.ts",
  prisma: "views.prisma",
  kysely: "kysely.ts",
}

const recorded = await Effect.runPromise(examples.record)

const generators: ReadonlyArray<Generator> = [
  { path: "docs/state-machine.md", content: stateMachine.render },
  { path: "docs/outflow-state-machine.md", content: outflowStateMachine.render },
  { path: "docs/before-real-money.md", content: beforeRealMoney.render },
  { path: "docs/limits.md", content: limits.render },
  { path: "docs/metrics.md", content: metrics.render },
  { path: "deploy/prometheus/alerts.yml", content: alerts.render },
  { path: "docs/observability.md", content: findingsTable.renderObservability },
  { path: "docs/operations.md", content: findingsTable.renderOperations },
  { path: "deploy/grafana/florin.json", content: dashboard.render },
  { path: "docs/performance.md", content: performance.render },
  { path: "docs/images/performance-stored.svg", content: performance.renderStored },
  { path: "docs/images/performance-log.svg", content: performance.renderLogged },
  { path: "docs/security-tests.md", content: securityTests.render },
  { path: "docs/tables.md", content: tables.render },
  ...ViewTypes.formats.map((format) => ({
    path: `packages/postgres/test/fixtures/views/${viewFiles[format]}`,
    content: () => ViewTypes.print(format, "florin"),
  })),
  { path: "packages/api/src/Examples.ts", content: () => examples.render(recorded) },
  { path: "docs/openapi/operator.json", content: operatorApi.renderOpenApi },
  { path: "docs/operator-api.md", content: operatorApi.render },
  // After the pages that they have the text of.
  { path: "llms.txt", content: llms.render },
  { path: "llms-full.txt", content: llms.renderFull },
  ...Version.all.map((version) => ({
    path: `docs/openapi/${version}.json`,
    content: () => openapi.render(version, recorded),
  })),
]

const read = (path: URL): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

const check = process.argv.includes("--check")
for (const { path, content } of generators) {
  const file = new URL(`../${path}`, import.meta.url)
  const wanted = content()
  if (read(file) === wanted) continue
  if (check) {
    console.error(`${path} is stale: run pnpm generate`)
    process.exitCode = 1
  } else {
    writeFileSync(file, wanted)
    console.log(`wrote ${path}`)
  }
}
