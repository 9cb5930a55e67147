/** Tells other extensions how many tools have been called; says-count.ts listens. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function countsCalls(pi: ExtensionAPI) {
	let calls = 0;
	pi.on("tool_execution_end", () => pi.events.emit("calls:count", ++calls));
}
