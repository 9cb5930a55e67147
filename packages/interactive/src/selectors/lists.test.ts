/** The small lists: thinking levels, messages to fork from, tools, jobs. */
import { expect, test } from "bun:test";

import type { Denial } from "@tau/machines/sandbox";

import { calledSelector } from "./called/selector.ts";
import { frame, press, testScreen, typeInto, until } from "../testing/frames.ts";
import { denialsSelector } from "./denials/selector.ts";
import { jobsSelector } from "./jobs/selector.ts";
import { messageSelector } from "./messages/selector.ts";
import { thinkingSelector } from "./thinking/selector.ts";
import type { ToolRow } from "@tau/session-commands/rows";
import { toolsSelector } from "./tools/selector.ts";

test("a thinking level is selected from those of the model", () => {
	const used: string[] = [];
	const picker = thinkingSelector(testScreen(), {
		levels: ["off", "low", "high"],
		current: "low",
		use: (level) => void used.push(level),
		close: () => void used.push("close"),
	});
	expect(frame(picker, 80)).toMatchInlineSnapshot(`
	  "
	  ── Thinking level ─────────────────────────────────────────────────────── 2/3 ──
	       off   no thinking
	   ❯ ● low   light
	       high  deep, for hard problems

	     enter use · esc close
	  "
	`);
	expect(frame(picker, 40)).toMatchInlineSnapshot(`
	  "
	  ── Thinking level ─────────────── 2/3 ──
	       off
	   ❯ ● low
	       high

	     enter use · esc close
	  "
	`);
	press(picker, "down", "enter");
	expect(used).toEqual(["high", "close"]);
});

test("a session is forked from one of the user's messages, or completely", async () => {
	const done: string[] = [];
	const picker = messageSelector(testScreen(), {
		title: "Fork the session",
		messages: [
			{ entryId: "b", text: "Then do this,\nand that" },
			{ entryId: "a", text: "First do this" },
		],
		whole: "The whole session",
		choose: async ({ entryId }) => void done.push(entryId),
		chooseWhole: async () => void done.push("whole"),
		close: () => void done.push("close"),
	});
	press(picker, "down");
	expect(frame(picker, 80)).toMatchInlineSnapshot(`
	  "
	  ── Fork the session ───────────────────────────────────────────────────── 2/3 ──
	   >
	     The whole session
	   ❯ Then do this, and that
	     First do this
	     Then do this,
	     and that


	     enter continue from here · esc close
	  "
	`);
	expect(frame(picker, 40)).toMatchInlineSnapshot(`
	  "
	  ── Fork the session ───────────── 2/3 ──
	   >
	     The whole session
	   ❯ Then do this, and that
	     First do this
	     Then do this,
	     and that


	     enter continue from here · esc close
	  "
	`);
	press(picker, "enter");
	await until(() => done.length === 2);
	press(picker, "up", "enter");
	await until(() => done.length === 4);
	typeInto(picker, "first");
	press(picker, "enter");
	await until(() => done.length === 6);
	expect(done).toEqual(["b", "close", "whole", "close", "a", "close"]);
});

test("tools are disabled and enabled, and show their size", () => {
	let tools: ToolRow[] = [
		{ name: "read", label: "Read file", description: "Reads a file.", chars: 800, isOn: true },
		{ name: "bash", label: "Run command", description: "Runs a\ncommand.", chars: 4000, isOn: true },
	];
	const picker = toolsSelector(testScreen(), {
		tools: () => tools,
		toggle: ({ name, isOn }) => {
			tools = tools.map((tool) => (tool.name === name ? { ...tool, isOn: !isOn } : tool));
		},
		close: () => {},
	});
	press(picker, "down", "space");
	expect(frame(picker, 80)).toMatchInlineSnapshot(`
	  "
	  ── Tools: 1 of 2 on ───────────────────────────────────────────────────── 2/2 ──
	   >
	     ● read    200  Read file
	   ❯ ○ bash     1k  Run command
	     Runs a command.


	     enter on or off · esc close
	  "
	`);
	expect(frame(picker, 40)).toMatchInlineSnapshot(`
	  "
	  ── Tools: 1 of 2 on ───────────── 2/2 ──
	   >
	     ● read    200
	   ❯ ○ bash     1k
	     Runs a command.


	     enter on or off · esc close
	  "
	`);
	press(picker, "enter");
	expect(frame(picker, 80)).toContain("Tools: 2 of 2 on");
	typeInto(picker, "command");
	expect(picker.selected?.name).toBe("bash");
});

test("jobs show their time and output; one is ended after a confirmation", async () => {
	const done: string[] = [];
	const picker = jobsSelector(testScreen(), {
		jobs: () => [
			{
				id: "2",
				label: "npm run watch",
				state: "running",
				startedAt: 0,
				tail: "building\x1b[1m…\nready",
				addresses: ["http://127.0.0.1:3000"],
				hasTerminal: true,
			},
			{
				id: "1",
				label: "sleep 1",
				state: "failed",
				startedAt: 0,
				endedAt: 65_000,
				tail: "",
				addresses: [],
				hasTerminal: false,
			},
		],
		now: () => 125_000,
		show: ({ id }) => void done.push(`show ${id}`),
		end: async ({ id }) => void done.push(`end ${id}`),
		openTerminal: ({ id }) => void done.push(`terminal ${id}`),
		close: () => void done.push("close"),
	});
	expect(frame(picker, 80)).toMatchInlineSnapshot(`
	  "
	  ── Background jobs ────────────────────────────────────────────────────── 1/2 ──
	   ❯ 2 npm run watch → http://127.0.0.1:3000  running   2m 05s
	     1 sleep 1                                failed    1m 05s
	     building…
	     ready


	     enter view output · ctrl+t type into it · ctrl+d kill · esc close
	  "
	`);
	expect(frame(picker, 40)).toMatchInlineSnapshot(`
	  "
	  ── Background jobs ────────────── 1/2 ──
	   ❯ 2 npm run watch → …  running   2m 05s
	     1 sleep 1            failed    1m 05s
	     building…
	     ready


	     enter view output
	     ctrl+t type into it · ctrl+d kill
	     esc close
	  "
	`);
	press(picker, "ctrl+d", "n", "ctrl+d", "y");
	await until(() => done.length === 1);
	press(picker, "ctrl+t", "down", "ctrl+t", "ctrl+d", "enter");
	await until(() => done.length === 5);
	expect(done).toEqual(["end 2", "close", "terminal 2", "show 1", "close"]);
});

test("what the sandbox denied is listed with its setting, and allowed with a key", () => {
	const allowed: string[] = [];
	const denials: Denial[] = [
		{
			what: "the connection to packages.example:443 was refused: the host is not allowed",
			subject: "packages.example",
			allow: { setting: "sandbox.network.allow", values: ["packages.example"] },
			mayRunOutside: false,
		},
		{ what: "Docker is not reachable from the sandbox", subject: "Docker", mayRunOutside: true },
	];
	const picker = denialsSelector(testScreen(), {
		denials: () => denials,
		allow: async ({ what }) => void allowed.push(what),
		close: () => {},
	});
	expect(frame(picker, 80)).toMatchInlineSnapshot(`
	  "
	  ── Denied by the sandbox ──────────────────────────────────────────────── 1/2 ──
	   ❯ the connection to packages.example:443 was refused: the host is not allowed
	     Docker is not reachable from the sandbox
	     To keep it, put this in the settings: sandbox.network.allow: [packages.examp…

	     enter allow in this session · esc close
	  "
	`);
	press(picker, "enter");
	expect(allowed).toEqual([denials[0]?.what ?? ""]);
	press(picker, "down");
	expect(frame(picker, 80)).toContain("No setting allows this");
	press(picker, "enter");
	expect(allowed).toHaveLength(1);
});

test("the description of a command has the room that names and origins leave", () => {
	const description = "Show session info: file, messages, tokens and cost";
	const picker = calledSelector(testScreen(), {
		title: "Commands",
		calls: [{ name: "session", description, from: "Session" }],
		choose() {},
		close() {},
	});
	const rows = (width: number): string => frame(picker, width).split("\n").slice(2, 4).join("\n");
	expect(rows(100)).toContain(description);
	expect(rows(80)).toContain("Show session info: file, messages, token…");
});

test("a command whose name is typed comes before those whose description has it", () => {
	const chosen: string[] = [];
	const picker = calledSelector(testScreen(), {
		title: "Commands",
		calls: [
			{ name: "mode", description: "Set the mode: plan, ask, auto", from: "Session" },
			{ name: "ask", description: "Ask another model about this conversation", from: "Session" },
		],
		choose: ({ name }) => void chosen.push(name),
		close() {},
	});
	typeInto(picker, "ask");
	press(picker, "enter");
	expect(chosen).toEqual(["ask"]);
});
