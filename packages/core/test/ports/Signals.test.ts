import { Signals } from "@florin/core/ports/Signals"
import * as SignalsSuite from "@florin/testing/SignalsSuite"
import * as Layer from "effect/Layer"

SignalsSuite.suite("memory", Signals.layerMemory, Layer.empty)
