/** Shows what counts-calls.ts tells: extensions talk to each other over a bus. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function saysCount(pi: ExtensionAPI) {
	let calls: unknown = 0;
	pi.events.on("calls:count", (count) => {
		calls = count;
	});
	pi.on("agent_end", (_event, ctx) => ctx.ui.notify(`${String(calls)} calls so far`));
}
