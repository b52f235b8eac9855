/** Prisma finds the schema here. */
import { defineConfig } from "prisma/config"

export default defineConfig({ schema: "schema.prisma" })
