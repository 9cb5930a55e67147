/** The pages about commands and keys are generated from their tables, and complete. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { TUI_KEYBINDINGS } from "@tau/tui";

import { commands } from "../commands/index.ts";
import { appKeybindings, newKeys } from "../keys.ts";
import { selectorKeybindings } from "../selectors/keys.ts";
import { commandsPage } from "./commands-page.ts";
import { keysPage } from "./keys-page.ts";

const docs = join(import.meta.dir, "../../../../docs");

describe("the page about commands", () => {
	test("docs/commands.md is the output of `bun scripts/commands-docs.ts`: run it if this fails", async () => {
		expect(await Bun.file(join(docs, "commands.md")).text()).toBe(commandsPage());
	});

	test.each(commands.map(({ name, description }) => [name, description]))(
		"lists /%s",
		(name, description) => {
			expect(commandsPage()).toContain(`| \`/${name}`);
			expect(commandsPage()).toContain(description);
		},
	);

	test("no two commands have the same name", () => {
		const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
		expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
	});
});

describe("the page about keys", () => {
	test("docs/keys.md is the output of `bun scripts/keys-docs.ts`: run it if this fails", async () => {
		expect(await Bun.file(join(docs, "keys.md")).text()).toBe(keysPage());
	});

	test("lists every action", () => {
		const page = keysPage();
		const all = Object.keys({ ...TUI_KEYBINDINGS, ...appKeybindings, ...selectorKeybindings });
		expect(all.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
	});
});

test("no key has two meanings in one context", () => {
	const keys = newKeys();
	const users = new Map<string, string[]>();
	for (const [action, { context = "" }] of Object.entries({
		...TUI_KEYBINDINGS,
		...appKeybindings,
		...selectorKeybindings,
	})) {
		for (const key of keys.getKeys(action as keyof typeof selectorKeybindings)) {
			const id = `${context} ${key}`;
			users.set(id, [...(users.get(id) ?? []), action]);
		}
	}
	expect([...users.values()].filter((actions) => actions.length > 1)).toEqual([]);
});

test("every built-in command has a heading in /help", () => {
	const homeless = commands.filter(({ group }) => group === undefined);
	expect(homeless.map(({ name }) => name)).toEqual([]);
});
