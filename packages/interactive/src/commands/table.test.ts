/** Commands that are typed before the session has answered which ones it has. */
import { expect, test } from "bun:test";

import { onDispose } from "@tau/utils";
import type { CommandInfo } from "@tau/wire";

import type { InteractiveHost } from "../host.ts";
import { CommandTable } from "./table.ts";

interface Joined {
	table: CommandTable;
	/** The session's answer. */
	list: PromiseWithResolvers<{ commands: CommandInfo[] }>;
	/** The commands that were started. */
	ran: string[];
	notices: string[];
}

/** A terminal that has joined a session, as far as its commands see it. */
function joined(): Joined {
	const list = Promise.withResolvers<{ commands: CommandInfo[] }>();
	const [ran, notices]: [string[], string[]] = [[], []];
	const host = {
		isAttached: true,
		client: {
			me: { id: "t", name: "t" },
			// A command that runs ends at once: the loader of a slow one would appear in another test.
			request: (type: string) =>
				type === "list_commands" ? list.promise : Promise.reject(new Error("not here")),
			subscribe: () => onDispose(() => {}),
		},
		notify: (text: string) => void notices.push(text),
		echo(text: string) {
			ran.push(text);
			return onDispose(() => {});
		},
		expectRequest: () => {},
		editor: { getText: () => "", setText: () => {} },
		tui: { requestRender: () => {} },
	} as unknown as InteractiveHost;
	return { table: new CommandTable(host), list, ran, notices };
}

const mark: CommandInfo = { name: "mark", description: "", source: "extension", right: "prompt" };
const skill: CommandInfo = { name: "skill:tidy", description: "", source: "skill", right: "prompt" };

test("regression: a command of an extension that is typed while the terminal joins is run once it is known", async () => {
	const { table, list, ran, notices } = joined();
	const following = table.follow();
	const taken = table.take("/mark one");
	expect(taken).toBeInstanceOf(Promise);
	expect({ ran, notices }).toEqual({ ran: [], notices: [] });
	list.resolve({ commands: [mark] });
	expect(await taken).toBe(true);
	await following;
	expect(ran).toEqual(["/mark one"]);
	expect(notices).not.toContainEqual(expect.stringContaining("/mark"));
});

test("a skill that is typed meanwhile is a prompt, and a name that nobody knows is reported then", async () => {
	const { table, list, notices } = joined();
	const following = table.follow();
	const [prompt, unknown] = [table.take("/skill:tidy now"), table.take("/nobody")];
	list.resolve({ commands: [skill] });
	expect(await prompt).toBe(false);
	expect(await unknown).toBe(true);
	await following;
	expect(notices).toEqual([expect.stringContaining("/nobody")]);
	expect(table.take("/nobody")).toBe(true);
});

test("what Tau has itself does not wait for a session that does not answer", () => {
	const { table, ran } = joined();
	void table.follow();
	expect(table.take("/name other")).toBe(true);
	expect(ran).toEqual(["/name other"]);
});

test("a session that cannot list its commands has none", async () => {
	const { table, list, notices } = joined();
	const following = table.follow();
	const taken = table.take("/mark one");
	list.reject(new Error("no such request"));
	expect(await taken).toBe(true);
	await following;
	expect(notices).toEqual([expect.stringContaining("/mark")]);
});
