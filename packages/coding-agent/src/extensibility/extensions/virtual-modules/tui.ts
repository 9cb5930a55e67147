/** What extensions get when they import pi's terminal package. */
import * as tui from "@tau/tui";

export function tuiExports(): Record<string, unknown> {
	return { ...tui };
}
