/** Sessions are found, previewed, opened, renamed and moved to the trash, however many there are. */
import { describe, expect, test } from "bun:test";
import type { SessionInfo } from "@tau/log";
import { answered, folder, said } from "@tau/log/testing";

import { frame, press, testScreen, typeInto, until } from "../../testing/frames.ts";
import { lastWord } from "./preview.ts";
import { SessionSelector, type SessionSelectorParts } from "./selector.ts";
import { ago, nextOrder, SessionIndexText, sessionRows, titleOf } from "./session-rows.ts";

const now = Date.parse("2026-03-10T12:00:00Z");

function info(id: string, facts: Partial<SessionInfo> = {}): SessionInfo {
	return {
		path: `/sessions/${id}.jsonl`,
		id,
		cwd: "/work/app",
		created: new Date(now - 3_600_000),
		modified: new Date(now - 60_000),
		messageCount: 4,
		firstMessage: `do ${id}`,
		size: 2048,
		allMessagesText: "",
		...facts,
	};
}

const all = [
	info("one", { name: "Login page", allMessagesText: "the cookie is not set" }),
	info("two", { modified: new Date(now - 7_200_000), created: new Date(now - 1000), size: 9_000_000 }),
	info("three", { cwd: "/work/other", firstMessage: "" }),
];

describe("the list", () => {
	const texts = new SessionIndexText();
	const ids = (filter: Partial<Parameters<typeof sessionRows>[1]>) =>
		sessionRows(all, { search: "", sort: "recent", named: false, ...filter }, texts).map(({ id }) => id);

	test("is filtered by directory, by name and by search", () => {
		expect(ids({ cwd: "/work/app/" })).toEqual(["one", "two"]);
		expect(ids({ named: true })).toEqual(["one"]);
		expect(ids({ search: "LOGIN one" })).toEqual(["one"]);
		expect(ids({ search: "cookie" })).toEqual([]);
		expect(ids({ search: "cookie", matches: new Set(["/sessions/one.jsonl"]) })).toEqual(["one"]);
	});

	test("can be sorted", () => {
		expect(ids({ sort: "created" })[0]).toBe("two");
		expect(ids({ sort: "name" })).toEqual(["three", "two", "one"]);
		expect(ids({ sort: "size" })[0]).toBe("two");
		expect([nextOrder("recent"), nextOrder("size")]).toEqual(["created", "recent"]);
	});

	test("of 5,000 answers a key from prepared text only", () => {
		let read = 0;
		const many = Array.from({ length: 5000 }, (_, at) => {
			const one = info(`s${at}`, { firstMessage: `prompt number ${at}` });
			return Object.defineProperty(one, "allMessagesText", { get: () => void read++ });
		});
		const filter = { search: "number 4999", sort: "recent" as const, named: false };
		expect(sessionRows(many, filter, texts).map(({ id }) => id)).toEqual(["s4999"]);
		expect(read).toBe(0);
	});
});

test("a session is shown by its name, else by its first prompt", () => {
	expect(all.map(titleOf)).toEqual(["Login page", "do two", "(no messages)"]);
});

test.each([
	[30_000, "now"],
	[5 * 60_000, "5m"],
	[3 * 3_600_000, "3h"],
	[13 * 86_400_000, "13d"],
	[30 * 86_400_000, "4w"],
	[800 * 86_400_000, "2y"],
	[-5000, "now"],
])("%d ms ago is %s", (ms, text) => {
	expect(ago(new Date(now - ms), now)).toBe(text);
});

describe("the preview", () => {
	test("is the last message, found at the end of the file", async () => {
		using directory = folder();
		const line = (message: object) => ({ type: "message", id: "a", parentId: null, timestamp: "t", message });
		const path = directory.file([
			{ type: "session", version: 3, id: "x", timestamp: "t", cwd: "/" },
			line(said("x".repeat(100_000))),
			line(answered("It is \x1b[31mdone.\nReally.")),
			{ type: "model_change", id: "b", parentId: "a", timestamp: "t", provider: "p", modelId: "message" },
			'{"type":"message","message":{"role":"user","cont',
		]);
		expect(await lastWord(path)).toEqual({ who: "model", text: "It is done. Really." });
	});

	test("is empty without messages", async () => {
		using place = folder();
		expect(await lastWord(place.file([{ type: "session", id: "x" }]))).toBeUndefined();
	});
});

function open(more: Partial<SessionSelectorParts> = {}) {
	const done: string[] = [];
	const selector = new SessionSelector(testScreen(), {
		cwd: "/work/app",
		current: "/sessions/two.jsonl",
		list: async (where) => (where === "here" ? all.slice(0, 2) : all),
		listAgents: async () => [],
		preview: async () => ({ who: "model", text: "All tests pass now." }),
		open: async ({ id }) => void done.push(`open ${id}`),
		rename: ({ id }, name) => void done.push(`rename ${id} ${name}`),
		remove: ({ id }) => void done.push(`remove ${id}`),
		marks: { has: () => false, toggle: async () => {} },
		now: () => now,
		close: () => void done.push("close"),
		...more,
	});
	const { component } = selector;
	const shows = (text: string) => until(() => frame(component, 80).includes(text));
	return { selector, component, done, shows, [Symbol.dispose]: () => selector[Symbol.dispose]() };
}

describe("the selector", () => {
	test("shows name, age and length, and a preview of the selected one", async () => {
		using list = open();
		await list.shows("All tests pass now.");
		expect(frame(list.component, 80)).toMatchInlineSnapshot(`
		  "
		  ── Sessions ───────────────────────────────────────────────────────────── 1/2 ──
		   This directory  All directories  Archived
		   >
		   ❯   Login page    1m      4
		     ● do two        2h      4
		     4 messages · 2 KB · created 2026-03-10 11:00 · /work/app
		     You: do one
		     Model: All tests pass now.

		     enter open · tab where · ctrl+t search all text · ctrl+r rename · alt+p pin
		     alt+a archive · ctrl+d delete · ctrl+s recent · ctrl+n all · esc close
		  "
		`);
		expect(frame(list.component, 40)).toMatchInlineSnapshot(`
		  "
		  ── Sessions ───────────────────── 1/2 ──
		   This directory  All directories  ›
		   >
		   ❯   Login page    1m      4
		     ● do two        2h      4
		     4 messages · 2 KB · created 2026-03-…
		     You: do one
		     Model: All tests pass now.

		     enter open · tab where
		     ctrl+t search all text
		     ctrl+r rename · alt+p pin
		     alt+a archive · esc close
		  "
		`);
		press(list.component, "tab");
		await list.shows("/work/other");
		expect(frame(list.component, 80)).toMatchInlineSnapshot(`
		  "
		  ── Sessions ───────────────────────────────────────────────────────────── 1/3 ──
		   This directory  All directories  Archived
		   >
		   ❯   Login page       1m      4  /work/app
		     ● do two           2h      4  /work/app
		       (no messages)    1m      4  /work/other
		     4 messages · 2 KB · created 2026-03-10 11:00 · /work/app
		     You: do one
		     Model: All tests pass now.

		     enter open · tab where · ctrl+t search all text · ctrl+r rename · alt+p pin
		     alt+a archive · ctrl+d delete · ctrl+s recent · ctrl+n all · esc close
		  "
		`);
	});

	test("is shown before the sessions are loaded, with progress", async () => {
		const listed = Promise.withResolvers<SessionInfo[]>();
		using list = open({
			list: (_, onProgress) => {
				onProgress(100, 5000);
				return listed.promise;
			},
		});
		await list.shows("Reading… 100/5000");
		listed.resolve(all);
		await list.shows("Login page");
	});

	test("opens on Enter, but not the current one", async () => {
		using list = open();
		await list.shows("Login page");
		press(list.component, "enter");
		await until(() => list.done.includes("close"));
		expect(list.done).toEqual(["open one", "close"]);
		press(list.component, "down", "enter");
		await list.shows("This is the current session.");
	});

	test("reports in place why one cannot be opened", async () => {
		using list = open({
			open: async () => {
				throw new Error("Another Tau has it open.");
			},
		});
		await list.shows("Login page");
		press(list.component, "enter");
		await list.shows("Another Tau has it open.");
		expect(list.done).toEqual([]);
	});

	test("renames in place", async () => {
		using list = open();
		await list.shows("Login page");
		press(list.component, "ctrl+r");
		typeInto(list.component, " two");
		press(list.component, "enter");
		await list.shows("  Login page two");
		expect(list.done).toEqual(["rename one Login page two"]);
	});

	test("deletes only after a confirmation, and never the current one", async () => {
		using list = open();
		await list.shows("Login page");
		press(list.component, "ctrl+d");
		expect(frame(list.component, 80)).toContain('Move "Login page" to the trash?');
		press(list.component, "n", "ctrl+d", "y");
		await list.shows("Moved to the trash.");
		expect(list.done).toEqual(["remove one"]);
		expect(frame(list.component, 80)).not.toContain("Login page");
		press(list.component, "ctrl+d");
		expect(frame(list.component, 80)).toContain("cannot be deleted");
	});

	test("searches all messages on request", async () => {
		using list = open();
		await list.shows("Login page");
		typeInto(list.component, "cookie");
		expect(frame(list.component, 80)).toContain('No session matches "cookie"');
		press(list.component, "ctrl+t");
		await list.shows("Login page");
		press(list.component, "ctrl+t");
		expect(frame(list.component, 80)).toContain('No session matches "cookie"');
	});

	test("hides unnamed sessions, and sorts", async () => {
		using list = open();
		await list.shows("do two");
		press(list.component, "ctrl+n");
		expect(frame(list.component, 80)).not.toContain("do two");
		press(list.component, "ctrl+n", "ctrl+s");
		expect(frame(list.component, 80)).toMatch(/do two[\s\S]*Login page/);
	});
});
