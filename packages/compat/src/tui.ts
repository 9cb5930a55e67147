/** What extensions get when they import pi's terminal package. */
import * as tui from "@tau/tui";

import { newerExports } from "./tui/newer.ts";
import { ompExports } from "./tui/omp.ts";

export function tuiExports(): Record<string, unknown> {
	return { ...ompExports, ...newerExports, ...tui };
}
