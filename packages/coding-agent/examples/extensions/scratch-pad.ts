/** Keeps notes that no model sees: Alt+N shows them over the screen, "a" adds the text of the editor, Enter pastes one. */
import type { ExtensionAPI, ExtensionContext } from "@tau/coding-agent";

export default function scratchPad(pi: ExtensionAPI) {
	let notes: string[] = [];
	pi.on("session_start", (_event, { sessionManager }) => {
		const own = sessionManager
			.getBranch()
			.filter((entry) => entry.type === "custom" && entry.customType === "note");
		notes = own.map((entry) => ("data" in entry ? String(entry.data) : ""));
	});
	const add = ({ ui }: ExtensionContext): void => {
		const text = ui.getEditorText().trim();
		if (text === "") return;
		notes.push(text);
		pi.appendEntry("note", text);
		ui.setEditorText("");
	};
	// Entries are drawn where they were added, also when the session is resumed.
	pi.registerEntryRenderer<string>("note", ({ data }, _options, theme) => ({
		render: (width) => [theme.fg("dim", ` noted: ${data ?? ""}`.slice(0, width))],
		invalidate() {},
	}));
	pi.registerShortcut("alt+n", {
		description: "Notes",
		async handler(ctx) {
			const chosen = await ctx.ui.custom<string | undefined>(
				(tui, theme, keys, done) => {
					let at = 0;
					const row = (note: string, index: number): string =>
						index === at ? theme.inverse(` ${note} `) : ` ${note} `;
					return {
						// No row may be wider than the available width.
						render: (width) => [
							theme.bold("Notes (a: add)"),
							...notes.map((note, index) => row(note.slice(0, width - 2), index)),
						],
						invalidate() {},
						handleInput(data) {
							if (keys.matches(data, "tui.select.cancel")) return done(undefined);
							if (keys.matches(data, "tui.select.confirm")) return done(notes[at]);
							if (keys.matches(data, "tui.select.up")) at = Math.max(0, at - 1);
							if (keys.matches(data, "tui.select.down")) at = Math.min(notes.length - 1, at + 1);
							if (data === "a") add(ctx);
							return tui.requestRender();
						},
					};
				},
				{ overlay: true, overlayOptions: { anchor: "top-right", width: 40 } },
			);
			if (chosen !== undefined) ctx.ui.pasteToEditor(chosen);
		},
	});
}
