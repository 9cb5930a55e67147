/** Preloaded by `bun test` (bunfig.toml): what holds for every test file. */
import { afterAll, setDefaultTimeout } from "bun:test";

import { forgetSecrets } from "@tau/utils/testing";
import fc from "fast-check";

import { samples } from "./depth.ts";

/** As in `npm test` (scripts/suite/run-files.ts), also for a file that is run by itself. */
setDefaultTimeout(180_000);

/** A property that names no number of samples takes a quarter of fast-check's hundred. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: samples(100, 25) });

// The files of a worker share its modules, and a key such as "secret" would be masked in the texts of the next one.
afterAll(forgetSecrets);
