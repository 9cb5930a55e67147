/** Asks a few questions before the model starts: /interview and what to build. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function interview(pi: ExtensionAPI) {
	pi.registerCommand("interview", {
		description: "Answer a few questions, then start",
		async handler(args, ctx) {
			const result = await ctx.ui.askDialog(
				[
					{ id: "size", question: "How big?", options: [{ label: "a script" }, { label: "a program" }] },
					{
						id: "parts",
						question: "With what?",
						options: [{ label: "tests" }, { label: "docs" }],
						multi: true,
					},
					{ id: "words", question: "Anything else?", options: [] },
				],
				// A limit only if its time starts when the user sees the dialog.
				ctx.ui.timeoutStartsOnPresentation ? { timeout: 10 * 60_000 } : {},
			);
			if (!result) return ctx.ui.notify("Cancelled.");
			const lines = result.results.map(({ question, selectedOptions, customInput }) => {
				const answers = [...selectedOptions, ...(customInput ? [customInput] : [])];
				return `${question} ${answers.join(", ") || "nothing"}`;
			});
			pi.sendUserMessage([`Build ${args}.`, ...lines].join("\n"));
		},
	});
}
