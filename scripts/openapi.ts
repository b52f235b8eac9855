/**
 * Renders the OpenAPI document of a version for docs/openapi.
 *
 * @module
 */
import type * as Examples from "../packages/api/src/Examples.ts"
import * as OpenApiDocument from "../packages/api/src/OpenApiDocument.ts"
import type * as Version from "../packages/core/src/domain/ground/Version.ts"

export const render = (
  version: Version.Version,
  examples: ReadonlyArray<Examples.Example>,
): string => `${JSON.stringify(OpenApiDocument.make(version, examples), null, 2)}\n`
