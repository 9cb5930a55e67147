/** A component that replaces the editor gets the keys, and returns them. */
import { describe, expect, test } from "bun:test";

import { setKeybindings, type Component } from "@tau/tui";

import { EditorSlot } from "./editor-slot.ts";
import { newKeys } from "./keys.ts";
import { limits } from "./limits.ts";

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

function slotWith(
	editor: Component,
	draft = { text: "" },
): {
	slot: EditorSlot;
	focused: () => Component | null;
	troubles: unknown[];
	clock: { now: number };
	type: (data: string) => void;
} {
	setKeybindings(newKeys());
	const clock = { now: 10_000 };
	let focus: Component | null = null;
	const screen = {
		setFocus: (component: Component | null) => {
			focus = component;
		},
		requestRender: () => {},
	};
	const troubles: unknown[] = [];
	const slot = new EditorSlot({
		screen,
		editor: Object.assign(editor, { getText: () => draft.text }),
		onTrouble: (error) => void troubles.push(error),
		now: () => clock.now,
	});
	const type = (data: string): void => {
		if (!slot.sawKey(data)) slot.current.handleInput?.(data);
	};
	return { slot, focused: () => focus, troubles, clock, type };
}

const focusKey = "\x18";

test("a component is shown and gets the keys; Escape closes it with a callback", async () => {
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

test("a component that handles Escape keeps it", () => {
	const { slot, focused } = slotWith(named("editor"));
	const guest = named("guest", { wantsEscape: () => true });
	slot.show(guest);
	focused()?.handleInput?.("\x1b");
	expect(guest.keys).toEqual(["\x1b"]);
	expect(slot.hasGuest).toBe(true);
});

test("closing the one below keeps the one above", async () => {
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

test("a failing component is closed, and the editor is back", async () => {
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

describe("a request of a model or an extension", () => {
	test("gets the keys when the user is not typing", () => {
		const { slot, clock, type } = slotWith(named("editor"));
		type("x");
		clock.now += limits.typingMs;
		const dialog = named("dialog");
		slot.show(dialog, { isRequest: true });
		type("\r");
		expect(dialog.keys).toEqual(["\r"]);
		expect(slot.render(10)).toEqual(["dialog"]);
	});

	test("waits above the editor if a key came just before, and gets keys after its own", () => {
		const editor = named("editor");
		const { slot, clock, type } = slotWith(editor);
		type("x");
		clock.now += limits.typingMs - 1;
		const dialog = named("dialog");
		slot.show(dialog, { isRequest: true });
		expect(slot.render(10)).toEqual(["dialog", "editor"]);
		// However long it waits, keys for the editor do not answer it.
		clock.now += 60_000;
		for (const key of ["1", "\r", " "]) type(key);
		expect(editor.keys).toEqual(["x", "1", "\r", " "]);
		expect(dialog.keys).toEqual([]);
		type(focusKey);
		type("\r");
		expect(dialog.keys).toEqual(["\r"]);
		expect(slot.render(10)).toEqual(["dialog"]);
	});

	test("waits while the editor holds a draft, which stays", async () => {
		const draft = { text: "half a mess" };
		const editor = named("editor");
		const { slot, focused, type } = slotWith(editor, draft);
		const { close, closed } = slot.show(named("dialog"), { isRequest: true });
		expect(focused()).toBe(editor);
		type(focusKey);
		expect(focused()).not.toBe(editor);
		close();
		await closed;
		expect(focused()).toBe(editor);
		expect(draft.text).toBe("half a mess");
	});

	test("waits while the user is in a list", () => {
		const { slot, clock, type } = slotWith(named("editor"));
		const list = named("list");
		const { close } = slot.show(list);
		clock.now += 60_000;
		const dialog = named("dialog");
		slot.show(dialog, { isRequest: true });
		type("\r");
		expect(list.keys).toEqual(["\r"]);
		close();
		expect(slot.render(10)).toEqual(["dialog", "editor"]);
		expect(dialog.keys).toEqual([]);
	});

	test("follows another request, or a command of the user, without waiting", () => {
		const { slot, type } = slotWith(named("editor"), { text: "a draft" });
		const first = slot.show(named("first"), { isRequest: true });
		type(focusKey);
		type("\r");
		first.close();
		const second = slot.show(named("second"), { isRequest: true });
		expect(slot.render(10)).toEqual(["second"]);
		second.close();
		type("x");
		slot.expectRequest();
		slot.show(named("third"), { isRequest: true });
		expect(slot.render(10)).toEqual(["third"]);
	});
});
