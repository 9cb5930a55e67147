/** What takes the editor's place has the keys, and gives them back. */
import { expect, test } from "bun:test";

import { setKeybindings, type Component } from "@tau/tui";

import { EditorSlot } from "./editor-slot.ts";
import { newKeys } from "./keys.ts";

function named(
	name: string,
	more: Partial<Component & { wantsEscape(): boolean }> = {},
): Component & { keys: string[] } {
	const keys: string[] = [];
	return {
		keys,
		render: () => [name],
		invalidate: () => {},
		handleInput: (data) => void keys.push(data),
		...more,
	};
}

function slotWith(editor: Component): {
	slot: EditorSlot;
	focused: () => Component | null;
	troubles: unknown[];
} {
	setKeybindings(newKeys());
	let focus: Component | null = null;
	const screen = {
		setFocus: (component: Component | null) => {
			focus = component;
		},
		requestRender: () => {},
	};
	const troubles: unknown[] = [];
	const slot = new EditorSlot(screen, editor, (error) => void troubles.push(error));
	return { slot, focused: () => focus, troubles };
}

test("a guest is shown and gets the keys; escape closes it and tells", async () => {
	const editor = named("editor");
	const { slot, focused } = slotWith(editor);
	const guest = named("guest");
	let cancelled = 0;
	const { closed } = slot.show(guest, { onCancel: () => cancelled++ });
	expect(slot.render(10)).toEqual(["guest"]);
	focused()?.handleInput?.("x");
	focused()?.handleInput?.("\x1b");
	await closed;
	expect(guest.keys).toEqual(["x"]);
	expect(cancelled).toBe(1);
	expect(slot.render(10)).toEqual(["editor"]);
	expect(focused()).toBe(editor);
});

test("a guest with a use for escape keeps it", () => {
	const { slot, focused } = slotWith(named("editor"));
	const guest = named("guest", { wantsEscape: () => true });
	slot.show(guest);
	focused()?.handleInput?.("\x1b");
	expect(guest.keys).toEqual(["\x1b"]);
	expect(slot.hasGuest).toBe(true);
});

test("closing the one below leaves the one above", async () => {
	const { slot } = slotWith(named("editor"));
	const first = slot.show(named("first"));
	const second = slot.show(named("second"));
	first.close();
	first.close();
	expect(slot.render(10)).toEqual(["second"]);
	second.close();
	await second.closed;
	expect(slot.render(10)).toEqual(["editor"]);
});

test("a guest that fails is closed, and the editor is there again", async () => {
	const { slot, focused, troubles } = slotWith(named("editor"));
	const broken = named("guest", {
		handleInput: () => {
			throw new Error("no hands");
		},
	});
	const { closed } = slot.show(broken);
	focused()?.handleInput?.("x");
	await closed;
	expect(troubles).toEqual([new Error("no hands")]);
	expect(slot.render(10)).toEqual(["editor"]);
});
