/** Draws its own footer with how full the context is, and compacts when it is nearly full. */
import type { ExtensionAPI } from "@tau/coding-agent";

const full = 90;

export default function contextGauge(pi: ExtensionAPI) {
	pi.on("session_start", (_event, ctx) => {
		ctx.ui.setFooter((tui, theme, data) => {
			const stop = data.onBranchChange(() => tui.requestRender());
			return {
				render(width) {
					const percent = Math.round(ctx.getContextUsage()?.percent ?? 0);
					const branch = data.getGitBranch() ?? "no branch";
					const words = [...data.getExtensionStatuses().values()].join(" ");
					const line = `context ${percent}% of ${ctx.model?.id ?? "nothing"}, ${branch} ${words}`.slice(
						0,
						width,
					);
					return [theme.fg(percent > full ? "warning" : "dim", line)];
				},
				invalidate() {},
				dispose: stop,
			};
		});
	});
	pi.on("agent_settled", (_event, ctx) => {
		if ((ctx.getContextUsage()?.percent ?? 0) < full) return;
		void ctx.compact({
			customInstructions: "Keep what is still to be done.",
			onComplete: ({ tokensBefore }) => ctx.ui.notify(`Compacted: there were ${tokensBefore} tokens.`),
			onError: ({ message }) => ctx.ui.notify(message, "warning"),
		});
	});
}
