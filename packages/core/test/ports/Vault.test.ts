import { Identifiers } from "@florin/core/ports/Identifiers"
import { Vault } from "@florin/core/ports/Vault"
import * as VaultSuite from "@florin/testing/VaultSuite"
import * as Layer from "effect/Layer"

VaultSuite.suite("memory", Vault.layerMemory.pipe(Layer.provide(Identifiers.layerSeeded("vault"))))
