/** Promise 14: arguments that an extension or a hook rewrites are validated, announced and logged. */
import { readFileSync } from "node:fs";

import { expect } from "bun:test";

import type { Client } from "../client.ts";
import { call, openHome, projectFile, conversationIn, until, type Setup } from "../home.ts";
import type { Row } from "../row.ts";

/** A tool that does not show its arguments, and a handler that changes them. */
function greeting(name: unknown): Setup {
	return {
		steps: [call("greet", { name: "Ada" })],
		extensions: {
			greet: `import { writeFileSync } from "node:fs";
			import { Type } from "@sinclair/typebox";
			export default (pi) => {
				pi.registerTool({
					name: "greet", label: "Greet", description: "Greets somebody",
					parameters: Type.Object({ name: Type.String() }),
					async execute(_id, { name }, _signal, _onUpdate, ctx) {
						writeFileSync(ctx.cwd + "/greeted", JSON.stringify(name));
						return { content: [{ type: "text", text: "Done." }] };
					},
				});
				pi.on("tool_call", (event) => { event.input.name = ${JSON.stringify(name)}; });
			};`,
		},
	};
}

async function checkValidated(client: Client): Promise<void> {
	await using home = await openHome(greeting({ first: "Ada" }));
	await using session = await client.open(home);
	await session.prompt("greet Ada");
	expect(home.played.requests).toHaveLength(2);
	expect(projectFile(home, "greeted")).toBe("");
	expect(conversationIn(home.played.requests[1])).toContain('"is_error":true');
}

async function checkLogged(client: Client): Promise<void> {
	await using home = await openHome(greeting("Grace Hopper"));
	await using session = await client.open(home);
	await session.prompt("greet Ada");
	expect(projectFile(home, "greeted")).toBe('"Grace Hopper"');
	expect(readFileSync(await session.file(), "utf8")).toContain("Grace Hopper");
}

const original = call("bash", { command: "echo as the model wrote it" });
const rewritten = "echo rewritten-$((40+2))";

const byExtension: Setup = {
	steps: [original],
	extensions: {
		rewrite: `export default (pi) => {
			pi.on("tool_call", (event) => { event.input.command = ${JSON.stringify(rewritten)}; });
		};`,
	},
};

function byHook(command: unknown): Setup {
	const updatedInput = { command };
	const hookSpecificOutput = { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput };
	const output = JSON.stringify({ hookSpecificOutput });
	return { steps: [original], hooks: { PreToolUse: `cat <<'END'\n${output}\nEND` } };
}

function checkAnnounced(setup: Setup): (client: Client) => Promise<void> {
	return async (client) => {
		await using home = await openHome(setup);
		await using session = await client.open(home);
		await session.prompt("run it");
		expect(conversationIn(home.played.requests[1])).toContain("rewritten-42");
		if (client.lacks.events !== undefined) {
			// Awaited here: a promise that is returned is settled only after the session is disposed of.
			await until("the user sees it", () => session.shownText().includes(rewritten));
			return;
		}
		const starts = session.events.filter(({ type }) => type === "tool_execution_start");
		expect(starts).toMatchObject([{ toolName: "bash", args: { command: rewritten } }]);
	};
}

async function checkHookValidated(client: Client): Promise<void> {
	await using home = await openHome(byHook(["touch", "ran"]));
	await using session = await client.open(home);
	await session.prompt("run it");
	expect(home.played.requests).toHaveLength(2);
	expect(conversationIn(home.played.requests[1])).toContain('"is_error":true');
	expect(conversationIn(home.played.requests[1])).toMatch(/hook/i);
}

const notFor = { print: "prints the last answer alone" };

export const rewriting: readonly Row[] = [
	{
		id: "rewriting/validated",
		title: "a call that an extension rewrites wrongly is not run",
		check: checkValidated,
	},
	{
		id: "rewriting/announced",
		title: "a call that an extension rewrites is announced with the arguments that run",
		notFor,
		check: checkAnnounced(byExtension),
	},
	{
		id: "rewriting/logged",
		title: "a call that an extension rewrites is logged with the arguments that ran",
		check: checkLogged,
	},
	{
		id: "rewriting/hook-validated",
		title: "a call that a hook rewrites wrongly is not run",
		check: checkHookValidated,
	},
	{
		id: "rewriting/hook-announced",
		title: "a call that a hook rewrites is announced with the arguments that run",
		notFor,
		check: checkAnnounced(byHook(rewritten)),
	},
];
