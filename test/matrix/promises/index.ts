/** All rows of the matrix, in the order of the promises. */
import type { Row } from "../row.ts";
import { abort } from "./abort.ts";
import { context } from "./context.ts";
import { denied } from "./denied.ts";
import { failures } from "./failures.ts";
import { jobs } from "./jobs.ts";
import { moves } from "./moves.ts";
import { names } from "./names.ts";
import { policy } from "./policy.ts";
import { prompts } from "./prompts.ts";
import { requests } from "./requests.ts";
import { retry } from "./retry.ts";
import { rewind } from "./rewind.ts";
import { rewriting } from "./rewriting.ts";
import { selection } from "./selection.ts";
import { services } from "./services.ts";
import { settings } from "./settings.ts";
import { shell } from "./shell.ts";
import { sideBySide } from "./side-by-side.ts";
import { stats } from "./stats.ts";
import { tools } from "./tools.ts";

export const rows: readonly Row[] = [
	...prompts,
	...denied,
	...selection,
	...names,
	...requests,
	...settings,
	...services,
	...tools,
	...shell,
	...jobs,
	...retry,
	...rewind,
	...context,
	...moves,
	...policy,
	...stats,
	...abort,
	...rewriting,
	...sideBySide,
	...failures,
];
