/** Asks the model a question outside of the conversation with /btw. /running lists what is still running. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function byTheWay(pi: ExtensionAPI) {
	pi.registerCommand("btw", {
		description: "Ask a question outside of the conversation",
		async handler(args, ctx) {
			if (args === "") return ctx.ui.notify("/btw what was that file called?", "warning");
			let words = "";
			const { replyText } = await ctx.runEphemeralTurn({
				promptText: args,
				tools: false,
				onTextDelta(delta) {
					words += delta;
					ctx.ui.setWidget("btw", [words]);
				},
			});
			ctx.ui.setWidget("btw", undefined);
			ctx.ui.notify(replyText);
		},
	});
	pi.registerCommand("running", {
		description: "List background commands",
		handler(_args, ctx) {
			const jobs = ctx.getAsyncJobSnapshot();
			const names = jobs?.running.map(({ id, label }) => `${id}: ${label}`) ?? [];
			ctx.ui.notify(names.length > 0 ? names.join("\n") : "Nothing is running.");
		},
	});
}
