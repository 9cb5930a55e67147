/** Ctrl+] stops everything at once; /wait says what is running, /bye exits when it is done. */
import type { ExtensionAPI, ExtensionContext } from "@tau/coding-agent";

const panic = "\x1d";

export default function panicKey(pi: ExtensionAPI) {
	let stop = (): void => {};
	pi.on("session_start", (_event, ctx) => {
		stop = ctx.ui.onTerminalInput((data) => {
			if (data !== panic) return undefined;
			if (!ctx.isIdle()) ctx.abort();
			ctx.ui.notify("Stopped.", "warning");
			return { consume: true };
		});
	});
	pi.on("session_shutdown", () => stop());
	pi.registerCommand("wait", {
		description: "Show what is running",
		handler: (_args, ctx) => ctx.ui.notify(state(ctx)),
	});
	pi.registerCommand("bye", { description: "Exit", handler: (_args, ctx) => ctx.shutdown() });
}

function state(ctx: ExtensionContext): string {
	if (ctx.isIdle()) return "Nothing is under way.";
	const isStopping = ctx.signal?.aborted === true;
	// `hasQueuedMessages` is omp's name for the same.
	const waits = ctx.hasPendingMessages() || ctx.hasQueuedMessages();
	return `${isStopping ? "It is being stopped" : "An answer is under way"}${waits ? ", and more waits" : ""}.`;
}
