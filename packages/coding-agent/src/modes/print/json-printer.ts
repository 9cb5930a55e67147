/** Prints a run as JSON lines, one event each. */
import { eventFrame, frameLine } from "../frames.ts";
import type { Output } from "../output.ts";
import type { Printer } from "./run-print.ts";

export function jsonPrinter(out: Output): Printer {
	return { hear: (event) => out.write(frameLine(eventFrame(event))), end: () => {} };
}
