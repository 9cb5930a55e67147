/** What extensions get when they import pi's terminal package. */
import * as tui from "@tau/tui";

import { colorExports } from "./tui/colors.ts";
import { newerExports } from "./tui/newer.ts";
import { ompExports } from "./tui/omp.ts";

/** pi ends a row that was cut with three dots. */
function truncateToWidth(text: string, width: number, ellipsis = "...", pad = false): string {
	return tui.truncateToWidth(text, width, ellipsis, pad);
}

export function tuiExports(): Record<string, unknown> {
	return { ...ompExports, ...newerExports, ...colorExports, ...tui, truncateToWidth };
}
