/** The architecture checks, by the names that they are reported under. */
import { consoleUse } from "./console.ts";
import { deletes } from "./deletes.ts";
import { dependencies } from "./dependencies.ts";
import { features } from "./features.ts";
import { format } from "./format.ts";
import { gitStarts } from "./git.ts";
import { knip } from "./knip.ts";
import { layers } from "./layers.ts";
import { links } from "./links.ts";
import { lint } from "./lint.ts";
import { machineUse } from "./machine.ts";
import { modelIds } from "./model-ids.ts";
import { modes } from "./modes.ts";
import { names } from "./names.ts";
import { packages } from "./packages.ts";
import { programSearches } from "./programs.ts";
import { prompts } from "./prompts.ts";
import { scatter } from "./scatter.ts";
import { screen } from "./screen.ts";
import { size } from "./size.ts";
import { skips } from "./skips.ts";
import { suppressions } from "./suppressions.ts";
import { toolNames } from "./tool-names.ts";
import { types } from "./types.ts";
import { versions } from "./versions.ts";
import type { Check } from "../problem.ts";

// The slow ones, which run in child processes, come first: the others run meanwhile.
export const checks: Record<string, Check> = {
	types,
	knip,
	lint,
	format,
	layers,
	size,
	packages,
	scatter,
	screen,
	modes,
	prompts,
	"model ids": modelIds,
	"tool names": toolNames,
	console: consoleUse,
	names,
	suppressions,
	links,
	features,
	dependencies,
	versions,
	skips,
	deletes,
	git: gitStarts,
	programs: programSearches,
	machine: machineUse,
};
