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
	/** Lets time pass without a key. */
	pass: (ms: number) => void;
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
	const timers = new Map<() => void, number>();
	const slot = new EditorSlot({
		screen,
		editor: Object.assign(editor, {
			getText: () => draft.text,
			setText: (text: string) => void (draft.text = text),
		}),
		onTrouble: (error) => void troubles.push(error),
		now: () => clock.now,
		after: (ms, act) => {
			timers.set(act, clock.now + ms);
			return { [Symbol.dispose]: () => void timers.delete(act) };
		},
		hint: (text) => text,
	});
	const pass = (ms: number): void => {
		clock.now += ms;
		for (const [act, at] of timers) if (at <= clock.now && timers.delete(act)) act();
	};
	const type = (data: string): void => {
		if (!slot.sawKey(data)) slot.current.handleInput?.(data);
	};
	return { slot, focused: () => focus, troubles, clock, pass, type };
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

	test("waits above the editor if a key came just before, and takes the keys when no more come", () => {
		const editor = named("editor");
		const { slot, pass, type } = slotWith(editor);
		type("x");
		pass(limits.typingMs - 1);
		const dialog = named("dialog");
		slot.show(dialog, { isRequest: true });
		expect(slot.render(10)).toEqual(["dialog", "editor"]);
		for (const key of ["1", "\r", " "]) {
			type(key);
			pass(limits.typingMs - 1);
		}
		expect(editor.keys).toEqual(["x", "1", "\r", " "]);
		expect(dialog.keys).toEqual([]);
		pass(1);
		expect(slot.render(10)).toEqual(["dialog"]);
		type("\r");
		expect(dialog.keys).toEqual(["\r"]);
	});

	test("its own key gives it the keys at once", () => {
		const { slot, type } = slotWith(named("editor"));
		type("x");
		const dialog = named("dialog");
		slot.show(dialog, { isRequest: true });
		type(focusKey);
		type("\r");
		expect(dialog.keys).toEqual(["\r"]);
	});

	test("a lone digit or y is not sent; it answers when it is pressed again, not before", () => {
		for (const [key, hint] of [
			["1", "Press 1 again to answer"],
			["y", "Press a number to answer"],
		] as const) {
			const draft = { text: "" };
			const editor = named("editor");
			const { slot, pass, type } = slotWith(editor, draft);
			type("x");
			const dialog = named("dialog");
			slot.show(dialog, { isRequest: true, isChoice: true });
			type(key);
			draft.text = key;
			for (const submit of ["\r", "\x1b\r"]) type(submit);
			expect(editor.keys).toEqual(["x", key]);
			expect(dialog.keys).toEqual([]);
			pass(limits.typingMs);
			expect(slot.render(10)).toEqual(["dialog", hint]);
			type("1");
			expect(dialog.keys).toEqual(["1"]);
			expect(draft.text).toBe("");
		}
	});

	test("a message that begins with a digit is written on, also after a pause", () => {
		const draft = { text: "" };
		const editor = named("editor");
		const { slot, pass, type } = slotWith(editor, draft);
		type("x");
		const [first, second] = [named("first"), named("second")];
		slot.show(first, { isRequest: true, isChoice: true });
		slot.show(second, { isRequest: true, isChoice: true });
		type("2");
		draft.text = "2";
		pass(limits.typingMs);
		expect(slot.render(10)).toEqual(["second", "Press 2 again to answer"]);
		type("f");
		draft.text = "2f";
		type("\r");
		expect(editor.keys).toEqual(["x", "2", "f", "\r"]);
		expect([...first.keys, ...second.keys]).toEqual([]);
		// What is written stays, and only its own key takes the keys from it.
		pass(60_000);
		expect(slot.render(10)).toEqual(["second", "editor"]);
	});

	test("a text that is asked for gets letters", () => {
		const { slot, type } = slotWith(named("editor"));
		const field = named("field");
		slot.show(field, { isRequest: true });
		type("f");
		expect(field.keys).toEqual(["f"]);
	});

	test("what the user left stays left", () => {
		const { slot, pass, type } = slotWith(named("editor"));
		const { stepBack } = slot.show(named("terminal"), { isRequest: true, takesText: true });
		stepBack();
		type("x");
		pass(60_000);
		expect(slot.render(10)).toEqual(["terminal", "editor"]);
		type(focusKey);
		expect(slot.render(10)).toEqual(["terminal"]);
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

	test("waits while the user is in a list, and a moment longer", () => {
		const { slot, pass, type } = slotWith(named("editor"));
		const list = named("list");
		const { close } = slot.show(list);
		pass(60_000);
		const dialog = named("dialog");
		slot.show(dialog, { isRequest: true });
		pass(60_000);
		type("\r");
		expect(list.keys).toEqual(["\r"]);
		close();
		expect(slot.render(10)).toEqual(["dialog", "editor"]);
		expect(dialog.keys).toEqual([]);
		pass(limits.typingMs);
		expect(slot.render(10)).toEqual(["dialog"]);
	});

	test("takes the keys from a list whose row has opened it", () => {
		const { slot, type } = slotWith(named("editor"));
		slot.show(named("list"));
		type("\r");
		slot.expectRequest();
		slot.show(named("dialog"), { isRequest: true });
		expect(slot.render(10)).toEqual(["dialog"]);
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
