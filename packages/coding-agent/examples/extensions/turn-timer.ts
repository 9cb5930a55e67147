/** Shows how long a prompt takes, and says when the session is idle again. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function turnTimer(pi: ExtensionAPI) {
	let began = 0;
	let turns = 0;
	const seconds = (): string => `${((Date.now() - began) / 1000).toFixed(1)} s`;
	pi.on("agent_start", (_event, ctx) => {
		began ||= Date.now();
		ctx.ui.setWorkingMessage("Thinking…");
	});
	pi.on("turn_start", ({ turnIndex }, ctx) => ctx.ui.setStatus("turn", `turn ${turnIndex + 1}`));
	pi.on("turn_end", ({ toolResults }, ctx) => {
		turns++;
		ctx.ui.setStatus("turn", `${toolResults.length} calls, ${seconds()}`);
	});
	pi.on("agent_end", (_event, ctx) => ctx.ui.setWorkingMessage());
	pi.on("agent_settled", ({ aborted }, ctx) => {
		ctx.ui.setStatus("turn", undefined);
		ctx.ui.notify(`${aborted ? "Stopped" : "Done"} after ${turns} turns, ${seconds()}.`);
		[began, turns] = [0, 0];
	});
}
