import * as StorageMemory from "@florin/core/ports/StorageMemory"
import * as StorageSuite from "@florin/testing/StorageSuite"

StorageSuite.suite("memory", StorageMemory.layer)
