/** Changes the appearance: /look name, or cycles through all themes; adds a header, and Alt+X expands tool results. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function look(pi: ExtensionAPI) {
	pi.on("session_start", (_event, { ui, cwd }) => {
		ui.setHeader((_tui, theme) => ({
			render: (width) => [theme.fg("accent", `At work in ${cwd}`.slice(0, width))],
			invalidate() {},
		}));
	});
	pi.registerShortcut("alt+x", {
		description: "Expand results",
		handler: ({ ui }) => ui.setToolsExpanded(!ui.getToolsExpanded()),
	});
	pi.registerCommand("look", {
		description: "Change the theme",
		getArgumentCompletions: () => null,
		handler(args, { ui }) {
			const names = ui.getAllThemes().map(({ name }) => name);
			const next = args || names[(names.indexOf(ui.theme.name) + 1) % names.length] || "dark";
			if (!ui.getTheme(next)) return ui.notify(`There is no theme ${next}: ${names.join(", ")}`, "warning");
			const { success, error } = ui.setTheme(next);
			return ui.notify(success ? `Now ${ui.theme.name}.` : (error ?? "The theme could not be changed."));
		},
	});
}
