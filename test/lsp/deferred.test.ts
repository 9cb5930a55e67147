/** Tools that are not in the first request: the model searches for them, or calls them by name. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { builtinTools } from "@tau/integrations/builtin";

import { launch, type Launched } from "../support/launch.ts";

const model = ["--model", "played/played-1"];

interface Request {
	tools: { name: string; description: string }[];
	messages: { content: unknown }[];
}

function requestOf({ played }: Launched, at: number): Request {
	return JSON.parse(played.requests[at]?.rawBody ?? "{}");
}

const names = (tau: Launched, at: number): string[] => requestOf(tau, at).tools.map(({ name }) => name);

function call(name: string, args: Record<string, unknown>) {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

test("a search finds the tool, and later requests declare it at the end", async () => {
	await using tau = await launch({
		steps: [call("search_tools", { query: "find references of a symbol" }), "Done."],
	});
	await tau.run(["-p", "go", ...model]);
	const first = names(tau, 0);
	expect(first).toContain("search_tools");
	expect(first).not.toContain("lsp");
	expect(JSON.stringify(requestOf(tau, 1).messages.at(-1))).toContain(
		"You can call these tools now:\\nlsp: ",
	);
	expect(names(tau, 1)).toEqual([...first, "lsp"]);
});

test("a call by name works at once", async () => {
	await using tau = await launch({ steps: [call("lsp", { action: "status" }), "Done."] });
	await tau.run(["-p", "go", ...model]);
	expect(JSON.stringify(requestOf(tau, 1).messages.at(-1))).toContain("No language server running");
	expect(names(tau, 1)).toEqual([...names(tau, 0), "lsp"]);
});

test("a tool that is named is there from the start, and what is switched off cannot be found", async () => {
	await using tau = await launch({ steps: ["One.", "Two.", "Three."] });
	await tau.run(["-p", "go", "--tools", "read,lsp", ...model]);
	expect(names(tau, 0)).toEqual(["read", "lsp"]);
	writeFileSync(join(tau.project, "off.yml"), "lsp:\n  enabled: false\n");
	await tau.run(["-p", "go", "--config", "off.yml", ...model]);
	const search = requestOf(tau, 1).tools.find(({ name }) => name === "search_tools");
	expect(search?.description).toContain("notebook (cells of .ipynb)");
	expect(search?.description).not.toContain("lsp (");
	const others = builtinTools.filter(({ searchHint }) => searchHint !== undefined).map(({ name }) => name);
	await tau.run(["-p", "go", "--exclude-tools", others.join(","), ...model]);
	expect(names(tau, 2)).not.toContain("search_tools");
});
