/** The commands of the screen are those that every client has, and the few that need a screen. */
import { expect, test } from "bun:test";

import { rows } from "@tau/session-commands/rows";
import { commands } from "./index.ts";

/** What only a screen has: its colors and keys, its clipboard, its transcript, its editor, and secrets typed into it. */
const ofScreen = [
	"help",
	"hotkeys",
	"copy",
	"find",
	"theme",
	"login",
	"logout",
	"ide",
	"changelog",
	"join",
	"cd",
	"detach",
	"exit",
];

test("a command that concerns the session is a row that every client can run", () => {
	const names = commands.map(({ name }) => name);
	const below = new Set(rows.map(({ name }) => name));
	// A new command belongs to session-commands/rows, unless it is about the screen alone.
	expect(names.filter((name) => !below.has(name))).toEqual(ofScreen);
});

test("the screen has every row", () => {
	const names = new Set(commands.map(({ name }) => name));
	expect(rows.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([]);
});

test("both list them in the same order, with the same words", () => {
	const words = rows.map(({ name, aliases, description, argumentHint }) => ({
		name,
		aliases,
		description,
		argumentHint,
	}));
	const below = new Set(rows.map(({ name }) => name));
	const shown = commands
		.filter(({ name }) => below.has(name))
		.map(({ name, aliases, description, argumentHint }) => ({ name, aliases, description, argumentHint }));
	expect(shown).toEqual(words);
});
