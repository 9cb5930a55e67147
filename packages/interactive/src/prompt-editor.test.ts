/** An extension's editor replaces the prompt editor. */
import { expect, test } from "bun:test";

import { setKeybindings, type EditorComponent } from "@tau/tui";

import { newKeys } from "./keys.ts";
import { PromptEditor } from "./prompt-editor.ts";

const theme = {
	borderColor: (text: string) => text,
	selectList: {
		selectedPrefix: (text: string) => text,
		selectedText: (text: string) => text,
		description: (text: string) => text,
		scrollInfo: (text: string) => text,
		noMatch: (text: string) => text,
	},
};

function promptEditor(): PromptEditor {
	setKeybindings(newKeys());
	return new PromptEditor({ requestRender() {} }, theme);
}

/** The minimal editor. */
class Plain implements EditorComponent {
	text = "";
	isBroken = false;
	onSubmit?: EditorComponent["onSubmit"];
	onChange?: EditorComponent["onChange"];

	getText(): string {
		return this.text;
	}

	setText(text: string): void {
		this.text = text;
	}

	handleInput(data: string): void {
		if (data === "\r") return this.onSubmit?.(this.text);
		this.text += data;
		this.onChange?.(this.text);
	}

	invalidate(): void {}

	render(): string[] {
		if (this.isBroken) throw new Error("broken");
		return [`plain: ${this.text}`];
	}
}

test("the text moves to the replacement editor, and back when that is removed", () => {
	const editor = promptEditor();
	editor.setText("begun");
	editor.setReplacement(new Plain());
	editor.handleInput("!");
	expect([editor.getText(), editor.getExpandedText(), editor.render(40)]).toEqual([
		"begun!",
		"begun!",
		["plain: begun!"],
	]);
	editor.insertTextAtCursor("?");
	editor.insertMarker({ label: "Image 1", expansion: " /tmp/a.png" });
	editor.setReplacement(undefined);
	expect(editor.getText()).toBe("begun!? /tmp/a.png");
});

test("submitting and listening work the same with a replacement, and the application keeps its keys", () => {
	const editor = promptEditor();
	const received: string[] = [];
	editor.onSubmit = (text) => void received.push(`sent ${text}`);
	editor.onChange = (text) => void received.push(`changed ${text}`);
	editor.onAction = (action) => received.push(action) > 0;
	editor.setReplacement(new Plain());
	for (const key of ["a", "\x0f", "\r"]) editor.handleInput(key);
	expect(received).toEqual(["changed a", "app.tools.expand", "sent a"]);
});

test("a failing replacement is removed, and its text is not lost", async () => {
	const editor = promptEditor();
	const troubles: string[] = [];
	editor.onTrouble = (error) => void troubles.push(String(error));
	const plain = new Plain();
	editor.setReplacement(plain);
	editor.handleInput("kept");
	plain.isBroken = true;
	expect(editor.render(40).join("\n")).toContain("kept");
	await Promise.resolve();
	expect(troubles).toEqual(["Error: broken"]);
	editor.handleInput("!");
	expect(editor.getText()).toBe("kept!");
});

test("an empty editor says what can be typed, until something is", () => {
	const editor = promptEditor();
	editor.focused = true;
	editor.placeholder = () => "Ask anything";
	const shown = (width: number): string[] => editor.render(width).map((row) => Bun.stripANSI(row).trimEnd());
	expect(shown(30)[1]).toEndWith("Ask anything");
	expect(shown(8)[1]).toEndWith("Ask a…");
	expect(editor.render(30).every((row) => Bun.stringWidth(Bun.stripANSI(row)) <= 30)).toBe(true);
	editor.handleInput("x");
	expect(shown(30).join("\n")).not.toContain("Ask");
});
