/** Prints a run as JSON lines, one event each. */
import { eventFrame } from "@tau/session/host";

import { frameLine } from "@tau/utils";
import type { Output } from "../output.ts";
import type { Printer } from "./run-print.ts";

export function jsonPrinter(out: Output): Printer {
	return {
		onEvent(event) {
			// A run that is printed ends with `agent_end`, as in pi; its phases are for clients that stay.
			if (event.type === "phase_changed") return undefined;
			return out.write(frameLine(eventFrame(event)));
		},
		end: () => {},
	};
}
