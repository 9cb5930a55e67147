/** An editor with two modes: Escape for commands (h, l, 0, $, x, i, a), i and a to insert. /vi turns it on and off. */
import { CustomEditor } from "@earendil-works/pi-coding-agent";
import { matchesKey } from "@earendil-works/pi-tui";

const keys = { h: "\x1b[D", l: "\x1b[C", 0: "\x01", $: "\x05", x: "\x1b[3~" };

class ViLite extends CustomEditor {
	isWriting = true;
	onMode = () => {};

	write(isWriting) {
		this.isWriting = isWriting;
		this.onMode(isWriting ? undefined : "COMMAND");
	}

	handleInput(data) {
		if (this.isWriting && matchesKey(data, "escape") && this.getText() !== "") this.write(false);
		else if (this.isWriting) super.handleInput(data);
		else if (data === "i" || data === "a") {
			if (data === "a") super.handleInput(keys.l);
			this.write(true);
		} else if (keys[data]) super.handleInput(keys[data]);
		// Enter and keys with modifiers go to Tau; other letters do nothing.
		else if (data.length > 1 || data < " ") super.handleInput(data);
	}
}

export default function viLite(pi) {
	pi.registerCommand("vi", {
		description: "Turn the editor with two modes on or off",
		handler(_args, { ui }) {
			const isOn = ui.getEditorComponent() !== undefined;
			const make = (tui, theme, bindings) => {
				const editor = new ViLite(tui, theme, bindings);
				editor.onMode = (mode) => ui.setStatus("vi", mode);
				return editor;
			};
			ui.setEditorComponent(isOn ? undefined : make);
			ui.notify(isOn ? "The normal editor is back." : "Escape for commands, i to insert.");
		},
	});
}
