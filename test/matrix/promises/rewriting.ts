/** Promise 14: arguments that an extension rewrites are validated, announced and logged. */
import { readFileSync } from "node:fs";

import { expect } from "bun:test";

import type { Client } from "../client.ts";
import { call, openHome, projectFile, type Setup } from "../home.ts";
import type { Row } from "../row.ts";

async function checkValidated(client: Client): Promise<void> {
	await using home = await openHome({
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
						return { content: [{ type: "text", text: "Hello " + name }] };
					},
				});
				pi.on("tool_call", (event) => { event.input.name = { first: "Ada" }; });
			};`,
		},
	});
	await using session = await client.open(home);
	await session.prompt("greet Ada");
	expect(home.played.requests).toHaveLength(2);
	expect(projectFile(home, "greeted")).toBe("");
	expect(home.played.requests[1]?.rawBody).toContain('"is_error":true');
}

const rewritten = "echo rewritten-$((40+2))";

const rewriting: Setup = {
	steps: [call("bash", { command: "echo as the model wrote it" })],
	extensions: {
		rewrite: `export default (pi) => {
			pi.on("tool_call", (event) => { event.input.command = ${JSON.stringify(rewritten)}; });
		};`,
	},
};

async function checkAnnounced(client: Client): Promise<void> {
	await using home = await openHome(rewriting);
	await using session = await client.open(home);
	await session.prompt("run it");
	expect(home.played.requests[1]?.rawBody).toContain("rewritten-42");
	if (client.lacks.events !== undefined) return expect(session.told()).toContain(rewritten);
	const starts = session.events.filter(({ type }) => type === "tool_execution_start");
	expect(starts).toMatchObject([{ toolName: "bash", args: { command: rewritten } }]);
}

async function checkLogged(client: Client): Promise<void> {
	await using home = await openHome(rewriting);
	await using session = await client.open(home);
	await session.prompt("run it");
	expect(home.played.requests[1]?.rawBody).toContain("rewritten-42");
	expect(readFileSync(await session.file(), "utf8")).toContain(rewritten);
}

export const rewritingRows: readonly Row[] = [
	{
		id: "rewriting/validated",
		title: "a call that an extension rewrites wrongly is not run",
		check: checkValidated,
	},
	{
		id: "rewriting/announced",
		title: "a rewritten call is announced with the arguments that run",
		notFor: { print: "prints the last answer alone" },
		check: checkAnnounced,
	},
	{
		id: "rewriting/logged",
		title: "a rewritten call is logged with the arguments that ran",
		check: checkLogged,
	},
];
