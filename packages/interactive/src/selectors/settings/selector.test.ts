/** Every setting can be found, shown with its source, and changed where allowed. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { settingPaths } from "@tau/config/settings";
import type { CommandReply } from "@tau/wire";

import { frame, press, testScreen, typeInto, until } from "../../testing/frames.ts";
import { testToolEnv } from "../../../../../test/support/tool-env.ts";
import { settingsReply, type SettingsData } from "@tau/session-commands/rows";
import { SettingsSelector } from "./selector.ts";
import {
	changeOf,
	fitting,
	fullLabel,
	labelOf,
	settingRows,
	shownLayer,
	shownValue,
} from "./setting-rows.ts";

const rows = settingRows(() => undefined);

describe("the list", () => {
	test("has every setting of the schema, once", () => {
		expect(rows.map(({ path }) => path).toSorted()).toEqual(settingPaths.toSorted());
	});

	test("is searched by name first, then by description", () => {
		expect(fitting(rows, "editor.vim")[0]?.path).toBe("editor.vim");
		expect(fitting(rows, "qqqzzz").length).toBe(0);
		expect(fitting(rows, "vim keys").map(({ path }) => path)).toContain("editor.vim");
		expect(fitting(rows, " ")).toBe(rows);
	});

	test("shows values and layers as text", () => {
		expect([
			shownValue(undefined),
			shownValue([]),
			shownValue(["a", "b"]),
			shownValue({ a: "b" }),
			shownValue(false),
		]).toEqual(["not set", "not set", "a, b", "a=b", "false"]);
		expect([
			shownLayer(undefined),
			shownLayer({ layer: "default" }),
			shownLayer({ layer: "global" }),
		]).toEqual(["", "", "user"]);
	});

	test("knows what Enter does for each kind", () => {
		const of = (path: string, value: unknown) => {
			const row = rows.find((each) => each.path === path);
			return row && changeOf({ ...row, value });
		};
		expect(of("editor.vim", false)).toEqual({ kind: "set", value: true });
		expect(of("transcript", "full")).toEqual({ kind: "choose", choices: ["condensed", "full"] });
		expect(of("enabledModels", ["a/*", "b"])).toEqual({ kind: "write", initial: "a/*, b" });
	});
});

test.each([
	["compaction.thresholdPercent", "Compaction", "Compact at (%)"],
	["ask.timeoutSeconds", "Conversation", "Wait for answers (seconds)"],
	["irc.enabled", "Agents", "Messages between agents"],
	["fallbackModels", "Models", "Fallback models"],
])("%s in the group %s is called %s", (path, group, label) => {
	expect(labelOf(path, group)).toBe(label);
});

test("groups are named where they begin, and the path is below the list", async () => {
	await using list = await open();
	await list.shows("from the default");
	// The number of settings changes with every release.
	expect(frame(list.component, 80).replace(/1\/\d+/, "1/__")).toMatchInlineSnapshot(`
	  "
	  ── Settings ─────────────────────────────────────────────────────────── 1/__ ──
	   This session  User  Project
	   >
	   ❯ Models          Models by role               not set
	                     Offered models               not set
	                     Preferred providers          not set
	                     Disabled providers           not set
	                     Fallback models              not set
	                     Websockets of Codex models   auto
	                     Keep the provider's cache    0
	                     Thinking level               not set
	     Credentials     Auth broker: address         not set
	                     Auth broker: token           not set
	     Conversation    Steering messages            one-at-a-time
	                     Follow-up messages           one-at-a-time
	     modelRoles · from the default
	     expects key: value pairs
	     The model of each role: a model, or another role such as tau/smol, with an
	     optional thinking level (provider/id:high). Known roles: default, smol, slow,
	     plan, commit, vision, tiny.
	     enter change · tab scope · ctrl+d reset · esc close
	  "
	`);
});

async function open() {
	const env = await testToolEnv();
	let isClosed = false;
	const run = async (words: string): Promise<CommandReply> => settingsReply(words, env.settings);
	const listed = async (words: string): Promise<SettingsData["settings"]> =>
		((await run(words)).data as SettingsData).settings;
	const selector = new SettingsSelector(testScreen(), {
		settings: await listed(""),
		explain: () => listed("explain"),
		async set(path, value, scope) {
			await run(`set ${scope} ${path} ${value}`);
			return undefined;
		},
		unset: async (path, scope) => void (await run(`unset ${scope} ${path}`)),
		onChange: (listener) => env.settings.onChange(listener),
		known: (path) => (path === "theme" ? ["auto", "dark", "forest"] : []),
		close: () => (isClosed = true),
	});
	const { component } = selector;
	const shows = (text: string) => until(() => frame(component, 80).includes(text));
	return {
		env,
		selector,
		component,
		shows,
		isClosed: () => isClosed,
		async [Symbol.asyncDispose]() {
			selector[Symbol.dispose]();
			await env[Symbol.asyncDispose]();
		},
	};
}

test("a setting is shown with its value, its layer and its description", async () => {
	await using list = await open();
	await list.env.settings.set("editor.vim", true, "session");
	typeInto(list.component, "editor.vim");
	await list.shows("from the session");
	expect(frame(list.component, 80)).toMatchInlineSnapshot(`
	  "
	  ── Settings ────────────────────────────────────────────────────────────────────
	   This session  User  Project
	   > editor.vim
	   ❯ Screen          Vim keys  true                    session
	     editor.vim · from the session
	     expects true or false
	     Use vim keys in the editor.


	     enter change · tab scope · ctrl+d reset · esc clear search
	  "
	`);
	expect(frame(list.component, 40)).toMatchInlineSnapshot(`
	  "
	  ── Settings ────────────────────────────
	   This session  User  Project
	   > editor.vim
	   ❯ Vim keys  true
	     editor.vim · from the session
	     expects true or false
	     Use vim keys in the editor.


	     enter change · tab scope
	     ctrl+d reset · esc clear search
	  "
	`);
});

test("Enter toggles a setting in the file of the tab, and it takes effect at once", async () => {
	await using list = await open();
	const received: unknown[] = [];
	using _ = list.env.settings.onChange((path, value) => void received.push([path, value]));
	typeInto(list.component, "editor.vim");
	press(list.component, "enter");
	await list.shows("Set editor.vim to true in your settings.");
	expect(received).toEqual([["editor.vim", true]]);
	const user = list.env.settings.sources.find(({ path }) => path.endsWith("agent/config.yml"));
	expect(readFileSync(user?.path ?? "", "utf8")).toContain("vim: true");
	press(list.component, "ctrl+d");
	await list.shows("Reset editor.vim in your settings.");
	expect(list.env.settings.get("editor.vim")).toBe(false);
});

test("Tab chooses the file; a setting that may not be written there is rejected in place", async () => {
	await using list = await open();
	typeInto(list.component, "compaction.enabled");
	press(list.component, "tab");
	expect(frame(list.component, 80)).toContain("not for projects: it affects cost");
	press(list.component, "enter");
	await list.shows("A project may not set compaction.enabled");
	press(list.component, "tab", "enter");
	await list.shows("Set compaction.enabled to false for this session.");
	expect(list.env.settings.get("compaction.enabled")).toBe(false);
});

test("a choice opens its own list, and Escape returns from it", async () => {
	await using list = await open();
	typeInto(list.component, "theme");
	press(list.component, "enter");
	expect(frame(list.component, 60)).toMatchInlineSnapshot(`
	  "
	  ── Theme ──────────────────────────────────────────── 1/3 ──
	   ❯ ● auto
	       dark
	       forest
	     The color theme: auto (matches the terminal), dark,
	     light, dusk, dawn, forest, meadow, a file in the themes
	     directory, or one for light and one for dark: …

	     enter select · esc back
	  "
	`);
	expect(list.component.wantsEscape()).toBe(true);
	press(list.component, "escape");
	expect(frame(list.component, 60)).toContain("> theme");
	press(list.component, "enter", "end", "enter");
	await list.shows("Set theme to forest in your settings.");
	expect(list.env.settings.get("theme")).toBe("forest");
});

test("input is parsed as the setting's type, and a mistake is shown while it can be corrected", async () => {
	await using list = await open();
	typeInto(list.component, "retry.maxRetries");
	press(list.component, "enter", "backspace");
	typeInto(list.component, "many");
	press(list.component, "enter");
	await list.shows("retry.maxRetries must be a whole number");
	press(list.component, ...Array.from({ length: 4 }, () => "backspace"));
	typeInto(list.component, "7");
	press(list.component, "enter");
	await list.shows("Set retry.maxRetries to 7 in your settings.");
	expect(list.env.settings.get("retry.maxRetries")).toBe(7);
});

test("Escape closes it", async () => {
	await using list = await open();
	press(list.component, "escape");
	expect(list.isClosed()).toBe(true);
});

test("on a narrow screen no two settings have the same name", async () => {
	await using list = await open();
	const names = settingRows(() => undefined).map(fullLabel);
	expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
	typeInto(list.component, "tools.enabled");
	expect(frame(list.component, 40)).toContain("Available tools");
	expect(frame(list.component, 80)).toMatch(/Tools +Available tools/);
});
