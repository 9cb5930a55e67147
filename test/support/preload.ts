/** Preloaded by `bun test` (bunfig.toml): a property that names no number of samples takes a quarter of fast-check's hundred. */
import fc from "fast-check";

import { samples } from "./depth.ts";

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: samples(100, 25) });
