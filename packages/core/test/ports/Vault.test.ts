import { Vault } from "@florin/core/ports/Vault"
import * as SeededIdentifiers from "@florin/testing/SeededIdentifiers"
import * as VaultSuite from "@florin/testing/VaultSuite"
import * as Layer from "effect/Layer"

VaultSuite.suite("memory", Vault.layerMemory.pipe(Layer.provide(SeededIdentifiers.layer("vault"))))
